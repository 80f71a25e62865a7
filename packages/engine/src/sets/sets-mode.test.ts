import { asEntityId, asRelationId, createRandom, type Random } from '@fuzzqe/core';
import { type LogicName, logicNames } from '@fuzzqe/core/logic';
import {
  and,
  answerQuery,
  entity,
  formatQuery,
  instantiate,
  not,
  or,
  project,
  type Query,
  structureNames,
  structures,
} from '@fuzzqe/core/query';
import type { ProjectionSettings } from '@fuzzqe/core/sets';
import { defaultWeights } from '@fuzzqe/evidence';
import { describe, expect, it } from 'vitest';
import { type Engine, openEngine, type SetsAnswerEntity } from '../index.ts';
import { type MemoryBundle, memoryBundle } from '../testing/index.ts';
import { notingSessions } from '../testing/noting-sessions.ts';
import { randomQuery } from '../testing/random-query.ts';
import { topDegrees } from './top-degrees.ts';

const e = (id: number): Query => entity(asEntityId(id));
const p = (relation: number, from: Query): Query => project(asRelationId(relation), from);

const open = async (
  options: Parameters<typeof memoryBundle>[0] = {},
  graph: (name: string) => string = (name) => name,
): Promise<{ bundle: MemoryBundle; engine: Engine; sessions: ReturnType<typeof notingSessions> }> => {
  const bundle = await memoryBundle(options);
  const sessions = notingSessions(bundle, { graph });
  return { bundle, sessions, engine: await openEngine({ source: bundle.source, sessions }) };
};

const operators: Readonly<Record<LogicName, readonly [and: Join, or: Join]>> = {
  product: [(a, b) => a * b, (a, b) => a + b - a * b],
  godel: [Math.min, Math.max],
  lukasiewicz: [(a, b) => Math.max(a + b - 1, 0), (a, b) => Math.min(a + b, 1)],
};
type Join = (a: number, b: number) => number;

/** How far the degrees of a query are from those of its operands, joined by the logic, at most. */
async function error(engine: Engine, logic: LogicName, query: Query): Promise<number> {
  if (query.op === 'entity' || query.op === 'project') return 0;
  const operands = query.op === 'not' ? [query.operand] : query.operands;
  const [whole, ...parts] = await engine.degrees([query, ...operands]);
  const [conjunction, disjunction] = operators[logic];
  const join = { and: conjunction, or: disjunction, not: (a: number) => a }[query.op];
  let most = 0;
  whole!.forEach((degree, id) => {
    const joined = parts.map((part) => part[id]!).reduce((a, b) => join(a, b));
    const expected = query.op === 'not' ? 1 - joined : joined;
    most = Math.max(most, Math.abs(degree - expected));
  });
  return most;
}

describe.each(logicNames)('answers by fuzzy sets, %s logic', (logic) => {
  it('are joined by the logic, in any tree', async () => {
    const { engine } = await open({ logic });
    const random = createRandom('trees', logic);
    for (let i = 0; i < 60; i += 1)
      expect(await error(engine, logic, randomQuery(random, 1 + (i % 3)))).toBeLessThan(1e-6);
  });

  it.each(structureNames)(
    '%s: what the facts give without a negation has degree 1, and nothing more',
    async (name) => {
      const { bundle, engine } = await open({ logic, facts: 1500 });
      const { template, anchors, relations, negation } = structures[name];
      const random = createRandom(name, logic);
      const draw = (count: number, below: number): number[] =>
        Array.from({ length: count }, () => random.below(below));
      let recorded = 0;
      for (let repetition = 0; repetition < 6; repetition += 1) {
        const query = instantiate(template, draw(anchors, 40), draw(relations, 6));
        const exact = new Set<number>(answerQuery(bundle.facts, query));
        const { answers, mode, plan } = await engine.answer(query, { k: 40 });
        expect([mode, plan.structure]).toEqual(['sets', name]);
        for (const { id, degree } of answers) {
          expect(degree).toBeGreaterThan(0);
          expect(degree).toBeLessThanOrEqual(1);
          if (exact.has(id) && !negation) expect(degree).toBeCloseTo(1, 6);
          recorded += Number(exact.has(id));
        }
      }
      expect(recorded).toBeGreaterThan(0);
    },
  );
});

/** Queries whose answers are projections of sets, and random ones around them. */
function projections(random: Random, count: number): Query[] {
  const link = (): Query => p(random.below(6), e(random.below(40)));
  const sets = [() => p(random.below(6), link()), () => or(link(), link()), () => and(link(), not(link()))];
  return Array.from({ length: count }, (_, i) => p(random.below(6), sets[i % sets.length]!()));
}

const kinds = [
  ...logicNames.map((logic) => ['bases', logic] as const),
  ...logicNames.map((logic) => ['blocks', logic] as const),
];

describe.each(kinds)('certain answers with %s, %s logic', (relationForm, logic) => {
  it.each([
    ['the usual settings', {}],
    ['settings by which many members add up', { support: 1 }],
  ] as readonly (readonly [string, Partial<ProjectionSettings>])[])(
    'are those of the whole projection, with %s',
    async (_, projection) => {
      const { engine, sessions } = await open({ logic, relationForm, facts: 500, projection });
      const queries = projections(createRandom('certain', logic), 30);
      const whole = await engine.degrees(queries);
      const runs: number[] = [];
      for (const k of [1, 3, 40]) {
        sessions.runs.length = 0;
        const found = await engine.rankSets(queries, { k });
        for (const [i, { ids, degrees }] of found.entries()) {
          const expected = topDegrees(whole[i]!, { k });
          expect(Array.from(ids)).toEqual(Array.from(expected.ids));
          expect(Array.from(degrees)).toEqual(Array.from(expected.degrees));
        }
        runs.push(sessions.runs.filter(({ graph }) => graph === 'links').length);
      }
      // Where enough is recorded, nothing is predicted.
      expect(runs[0]).toBeLessThan(runs[2]! - 10);
    },
  );
});

describe.each(kinds)('the best of a fuzzy set with %s, %s logic', (relationForm, logic) => {
  it.each(['none', 'known'] as const)('are those of the whole set, exclude %s', async (exclude) => {
    const { engine, sessions } = await open({
      logic,
      relationForm,
      facts: 300,
      projection: { predictedMembers: 3 },
    });
    const random = createRandom('best', logic);
    const draw = (count: number, below: number): number[] =>
      Array.from({ length: count }, () => random.below(below));
    const queries = structureNames.flatMap((name) => {
      const { template, anchors, relations } = structures[name];
      return Array.from({ length: 6 }, () => instantiate(template, draw(anchors, 40), draw(relations, 6)));
    });
    const whole: Float32Array[] = [];
    for (const query of queries) whole.push(...(await engine.degrees([query])));
    const runs = (graph: string): number => sessions.runs.filter((run) => run.graph === graph).length;
    const ofWhole = runs('links');
    sessions.runs.length = 0;
    for (const [i, query] of queries.entries()) {
      const [found] = await engine.rankSets([query], { k: 2, exclude });
      const excluded = exclude === 'known' ? answerQuery(engine.facts, query) : undefined;
      const expected = topDegrees(whole[i]!, { k: 2, excluded });
      expect(found!.degrees.length).toBe(expected.degrees.length);
      found!.degrees.forEach((degree, at) => {
        expect(degree).toBeCloseTo(expected.degrees[at]!, 6);
        // Another entity only where its degree is the same.
        expect(whole[i]![found!.ids[at]!]).toBeCloseTo(expected.degrees[at]!, 6);
      });
    }
    // Where enough is recorded, nothing is predicted.
    if (exclude === 'none') expect(runs('links')).toBeLessThan(ofWhole - 10);
    else expect(runs('links')).toBe(ofWhole);
  });

  it('have the degrees of their operands', async () => {
    const { engine } = await open({ logic, relationForm, facts: 300 });
    const query = and(p(1, or(p(0, e(1)), p(2, e(2)))), not(p(3, p(4, e(5)))), p(0, e(7)));
    if (query.op !== 'and') throw new Error('a conjunction is one');
    const sets = await engine.degrees(query.operands);
    for (const { id, operands } of (await engine.answer(query, { k: 2, minDegree: 0 })).answers)
      for (const [i, { degree }] of operands!.entries()) expect(degree).toBeCloseTo(sets[i]![id]!, 6);
  });
});

describe('answers by fuzzy sets', () => {
  it('show it where they are joined by another logic than is asked for', async () => {
    const { engine } = await open({ logic: 'godel' });
    expect(await error(engine, 'product', and(not(p(0, e(1))), not(p(2, e(2)))))).toBeGreaterThan(1e-3);
  });

  it('of a batch are those of each query alone, with the links from anchors in one run, each once', async () => {
    const { engine, sessions } = await open();
    const queries = [
      p(0, e(1)),
      and(p(0, e(1)), p(2, e(3)), not(p(0, e(1)))),
      p(4, p(0, e(1))),
      e(5),
      or(p(2, e(3)), p(4, or(p(1, e(2)), p(3, e(4))))),
    ];
    const together = await engine.answerAll(queries, { k: 40 });
    const links = sessions.runs.filter(({ graph }) => graph === 'links');
    // Two projections of sets follow.
    expect(links).toHaveLength(3);
    expect(Array.from(links[0]!.feeds['heads']!.data)).toEqual([1, 3, 2, 4]);
    for (const [i, query] of queries.entries())
      expect(together[i]).toEqual(await engine.answer(query, { k: 40 }));
  });

  it('that are computed at the same time are those of each alone, call after call', async () => {
    const { engine } = await open({ facts: 300, projection: { predictedMembers: 3 } });
    const random = createRandom('sets', 'at the same time');
    const queries = Array.from({ length: 24 }, (_, i) => randomQuery(random, 1 + (i % 3)));
    const answer = (query: Query, i: number) =>
      engine.answer(query, i % 2 === 0 ? { k: 3 } : { k: 40, exclude: 'known' });
    const alone: unknown[] = [];
    for (const [i, query] of queries.entries()) alone.push(await answer(query, i));
    for (let call = 0; call < 2; call += 1) expect(await Promise.all(queries.map(answer))).toEqual(alone);
  });

  it('compute a part that occurs twice once', async () => {
    const { engine, sessions } = await open();
    const part = p(4, p(0, e(1)));
    const queries = [part, and(part, p(2, e(3))), not(p(2, part)), p(2, part)];
    await engine.degrees(queries);
    expect(sessions.runs.map(({ graph }) => graph).sort()).toEqual(['links', 'links', 'links']);
  });

  it('take as many runs of links as there are many links', async () => {
    const { engine, sessions } = await open();
    const links = Array.from({ length: 130 }, (_, i) => p(i % 6, e(Math.floor(i / 6))));
    const query = or(links[0]!, links[1]!, ...links.slice(2));
    const [degrees] = await engine.degrees([query]);
    const runs = sessions.runs.filter(({ graph }) => graph === 'links');
    expect(runs.map(({ feeds }) => feeds['heads']!.data.length)).toEqual([64, 64, 2]);
    const each = await engine.degrees(links);
    degrees!.forEach((degree, id) => {
      const none = each.reduce((product, set) => product * (1 - set[id]!), 1);
      expect(degree).toBeCloseTo(1 - none, 5);
    });
  });

  it('say of a conjunction how far each operand is answered, in the order of the query', async () => {
    const { engine, bundle } = await open();
    const operands = [not(p(1, e(2))), p(0, e(1)), p(2, p(0, e(1)))];
    const { answers } = await engine.answer(and(operands[0]!, operands[1]!, operands[2]!), {
      k: 40,
      minDegree: 0,
    });
    const sets = await engine.degrees(operands);
    const known = operands.map((operand) => answerQuery(bundle.facts, operand));
    for (const { id, operands: each } of answers)
      expect(each).toEqual(sets.map((set, i) => ({ degree: set[id], known: known[i]!.has(id) })));
    for (const { operands: none } of (await engine.answer(operands[0]!)).answers)
      expect(none).toBeUndefined();
  });

  it('are what is recorded or has the least degree; the best of the others are suggestions, within k', async () => {
    const { engine } = await open();
    for (const query of [or(p(0, e(1)), p(2, e(3))), not(p(0, e(1))), and(p(0, e(1)), not(p(2, e(3))))]) {
      const all = (await engine.answer(query, { k: 40, minDegree: 0 })).answers;
      expect(all.map(({ degree }) => degree)).toEqual(
        all.map(({ degree }) => degree).toSorted((a, b) => b - a),
      );
      const isKnown = ({ state }: SetsAnswerEntity): boolean => state === 'recorded' || state === 'doubted';
      for (const minDegree of [0.01, 0.3, 0.5, 1])
        for (const k of [1, 4, 40]) {
          const { answers, suggestions } = await engine.answer(query, {
            k,
            ...(minDegree === 0.5 ? {} : { minDegree }),
          });
          const isAnswer = (each: SetsAnswerEntity): boolean =>
            isKnown(each) || each.degree >= Math.fround(minDegree);
          const expected = all.filter(isAnswer).slice(0, k);
          expect(answers).toEqual(expected);
          const others = all.filter((each) => !isAnswer(each) && each.degree >= Math.fround(0.01));
          expect(suggestions).toEqual(others.slice(0, k - expected.length));
          const alone = await engine.answer(query, { k, minDegree, suggestions: false });
          expect([alone.answers, alone.suggestions]).toEqual([expected, []]);
        }
    }
  });

  it('name what the facts give and the model doubts, however many are likelier', async () => {
    const { engine, bundle } = await open({ facts: 300 });
    const queries = [
      not(p(0, e(1))),
      and(p(0, e(1)), not(p(2, e(3)))),
      p(1, and(not(p(0, e(1))), p(2, e(3)))),
    ];
    const states = new Set<string>();
    for (const query of queries) {
      const recorded = answerQuery(bundle.facts, query);
      const [set] = await engine.degrees([query]);
      const given = [...recorded].filter((id) => set![id]! > 0);
      if (given.length === 0) continue;
      const { answers, suggestions } = await engine.answer(query, { k: given.length, minDegree: 1 });
      // All places are for what is recorded.
      expect(answers.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(given);
      expect(suggestions).toEqual([]);
      for (const { id, degree, state } of answers) {
        expect(degree).toBeCloseTo(set![id]!, 6);
        expect(state).toBe(degree >= 0.95 ? 'recorded' : 'doubted');
        states.add(state);
      }
    }
    expect(states).toEqual(new Set(['recorded', 'doubted']));
  });

  it('are partly recorded where the facts give an operand, and an absent link is none', async () => {
    const { engine, bundle } = await open({ facts: 300 });
    const positive = [p(0, e(1)), p(2, e(3))] as const;
    const seen = new Set<string>();
    const stateOf = async (query: Query): Promise<void> => {
      for (const { id, state } of (await engine.answer(query, { k: 40, minDegree: 0 })).answers) {
        if (answerQuery(bundle.facts, query).has(id)) continue;
        const isPartly = positive.some(
          (operand) =>
            query.op === 'and' &&
            query.operands.includes(operand) &&
            answerQuery(bundle.facts, operand).has(id),
        );
        expect(state).toBe(isPartly ? 'partly' : 'predicted');
        seen.add(state);
      }
    };
    await stateOf(and(...positive));
    expect(seen).toEqual(new Set(['partly', 'predicted']));
    seen.clear();
    await stateOf(and(p(0, e(7)), not(p(2, e(3)))));
    await stateOf(or(...positive));
    expect(seen).toEqual(new Set(['predicted']));
  });

  it('say where there is nothing at all, and not where some are fewer than k', async () => {
    const { engine } = await open();
    const { answers, suggestions, warnings } = await engine.answer(e(7), { k: 3 });
    expect(answers.map(({ id, degree, state }) => [id, degree, state])).toEqual([[7, 1, 'recorded']]);
    expect([suggestions, warnings]).toEqual([[], []]);
    // A project from nothing leads nowhere.
    const none = await engine.answer(p(0, and(e(7), e(8))), { k: 3 });
    expect([none.answers, none.suggestions]).toEqual([[], []]);
    expect(none.warnings.at(-1)).toMatch(
      /^few-answers: no answers: nothing is recorded, .* of 0\.01 or more$/,
    );
    const strict = await engine.answer(p(0, e(1)), {
      exclude: 'known',
      minDegree: 1,
      suggestions: false,
    });
    expect(strict.warnings).toEqual([expect.stringMatching(/^few-answers: .* of 1 or more$/)]);
  });

  it('are ranked without names as with them', async () => {
    const { engine } = await open();
    const query = p(2, p(0, e(1)));
    for (const options of [{}, { k: 7 }, { k: 40, exclude: 'known' }] as const) {
      const [ranked] = await engine.rankSets([query], options);
      const { answers } = await engine.answer(query, { ...options, minDegree: 0 });
      expect(Array.from(ranked!.ids)).toEqual(answers.map(({ id }) => id));
      expect(Array.from(ranked!.degrees)).toEqual(answers.map(({ degree }) => degree));
    }
    const [ranked] = await engine.rankSets([query], { k: 40, minDegree: 0.2 });
    expect(ranked!.degrees.every((degree) => degree >= Math.fround(0.2))).toBe(true);
  });

  it.each([
    ['a mode that does not exist', { mode: 'both' }, 'usage', '$.mode'],
    ['a least degree by embedding', { mode: 'embedding', minDegree: 0.5 }, 'usage', '$.minDegree'],
    ['a plan for sets', { plan: 'operators' }, 'usage', '$.plan'],
    ['a least degree above 1', { minDegree: 1.01 }, 'range', '$.minDegree'],
    ['a least degree below 0', { minDegree: -1e-9 }, 'range', '$.minDegree'],
    ['a least degree that is no number', { minDegree: Number.NaN }, 'range', '$.minDegree'],
  ])('refuse %s before the runtime sees it', async (_, options, code, path) => {
    const { engine, sessions } = await open();
    // Callers without types can ask so.
    const asked = engine.answer(p(0, e(1)), options as object);
    await expect(asked).rejects.toMatchObject({ code, path });
    expect(sessions.runs).toEqual([]);
  });

  it('are by a default calibration with one warning of the engine, and none of each answer', async () => {
    const [fitted, unfitted] = [await open(), await open({ fitted: false })];
    expect(fitted.engine.warnings).toEqual([]);
    expect(unfitted.engine.warnings).toEqual([expect.stringMatching(/^default-calibration: /)]);
    const query = p(0, e(1));
    expect(formatQuery(query, unfitted.engine.vocabulary)).toContain('relation 0');
    expect(await unfitted.engine.answer(query)).toEqual(await fitted.engine.answer(query));
  });

  it('depend on the weights, the rules and the settings of the bundle', async () => {
    const queries = [p(0, e(1)), p(0, p(2, e(3)))];
    const plain = await (await open()).engine.degrees(queries);
    const others: Parameters<typeof open>[0][] = [
      { weights: defaultWeights(6, { temperature: 5 }) },
      { weights: defaultWeights(6) },
      { rules: [] },
      { projection: { support: 0.9 } },
      { projection: { certainMembers: 1, predictedMembers: 0 } },
    ];
    for (const other of others) expect(await (await open(other)).engine.degrees(queries)).not.toEqual(plain);
  });
});
