import { asEntityId, asRelationId, createRandom } from '@fuzzqe/core';
import type { LogicName } from '@fuzzqe/core/logic';
import { and, answerQuery, entity, not, or, project, type Query } from '@fuzzqe/core/query';
import { expectedTails, membersOf, type ProjectionSettings } from '@fuzzqe/core/sets';
import type { FamilyName } from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import { type Engine, type NamedDerivation, openEngine } from '../index.ts';
import { memoryBundle, referenceSessions } from '../testing/index.ts';

const e = (id: number): Query => entity(asEntityId(id));
const p = (relation: number, from: Query): Query => project(asRelationId(relation), from);
const entities = 40;
const all = Array.from({ length: entities }, (_, id) => id);
/** Every entity with a degree is a member of a set that is projected. */
const everyone = { certainMembers: entities, predictedMembers: entities };

const engines = new Map<string, Promise<Engine>>();

/** One engine for each logic and settings. */
function open(
  logic: LogicName,
  projection: Partial<ProjectionSettings>,
  relationForm: FamilyName = 'bases',
): Promise<Engine> {
  const make = async (): Promise<Engine> => {
    const { source, config, parameters } = await memoryBundle({ logic, projection, relationForm });
    return openEngine({ source, sessions: referenceSessions(config, parameters) });
  };
  const key = JSON.stringify([logic, projection, relationForm]);
  const engine = engines.get(key) ?? make();
  engines.set(key, engine);
  return engine;
}

const links = new Map<Engine, Promise<Float32Array[]>>();

/** μ of every link of a graph with six relations. */
async function linksOf(engine: Engine): Promise<(head: number, relation: number, tail: number) => number> {
  const found =
    links.get(engine) ?? engine.degrees(all.flatMap((head) => [0, 1, 2, 3, 4, 5].map((r) => p(r, e(head)))));
  links.set(engine, found);
  const degrees = await found;
  return (head, relation, tail) => degrees[head * 6 + relation]![tail]!;
}

const queries: Readonly<Record<string, Query>> = {
  '1p': p(0, e(1)),
  '2p': p(3, p(0, e(1))),
  '3p': p(2, p(1, p(0, e(4)))),
  ip: p(2, and(p(0, e(1)), p(3, e(2)))),
  pi: and(p(2, p(1, e(3))), p(0, e(5))),
  up: p(1, or(p(0, e(6)), p(4, e(7)))),
  inp: p(2, and(p(0, e(1)), not(p(3, e(2))))),
  pin: and(p(1, p(2, e(8))), not(p(5, e(9)))),
  'projection of a negation': p(1, not(p(0, e(1)))),
  'an anchor that is joined': or(e(3), p(0, e(3))),
};

/** The parts of a query with their paths, written from the form of queries alone. */
function partsIn(query: Query, path = '$'): [path: string, part: Query][] {
  const inner = (): [string, Query][] => {
    if (query.op === 'entity') return [];
    if (query.op === 'project') return partsIn(query.from, `${path}.from`);
    if (query.op === 'not') return partsIn(query.operand, `${path}.not`);
    return query.operands.flatMap((operand, i) => partsIn(operand, `${path}.${query.op}[${i}]`));
  };
  return [[path, query], ...inner()];
}

const conjunctions: Readonly<Record<LogicName, (a: number, b: number) => number>> = {
  product: (a, b) => a * b,
  godel: (a, b) => Math.min(a, b),
  lukasiewicz: (a, b) => Math.max(a + b - 1, 0),
};

/** Every step of a derivation with its part of the query. */
function stepsIn(query: Query, derivation: NamedDerivation): [part: Query, step: NamedDerivation][] {
  const inner = (): [Query, NamedDerivation][] => {
    if (query.op === 'project' && derivation.op === 'project')
      return derivation.from === undefined ? [] : stepsIn(query.from, derivation.from);
    if (query.op === 'not' && derivation.op === 'not') return stepsIn(query.operand, derivation.operand);
    if ((query.op === 'and' || query.op === 'or') && derivation.op === query.op)
      return query.operands.flatMap((operand, i) => stepsIn(operand, derivation.operands[i]!));
    expect([query.op, derivation.op]).toEqual(['entity', 'entity']);
    return [];
  };
  return [[query, derivation], ...inner()];
}

describe.each([
  ['product', {}, 'bases'],
  ['product', {}, 'blocks'],
  ['product', { support: 0 }, 'bases'],
  ['godel', {}, 'bases'],
  ['lukasiewicz', {}, 'bases'],
] as const)('explanations in %s logic with %j and %s', (logic, settings, form) => {
  it.each(Object.entries(queries))('of %s list the best of every part', async (_, query) => {
    const engine = await open(logic, { ...everyone, ...settings }, form);
    const { parts } = await engine.answer(query, { explain: true });
    const expected = partsIn(query);
    expect(parts!.map(({ path }) => path)).toEqual(expected.map(([path]) => path));
    const sets = await engine.degrees(expected.map(([, part]) => part));
    for (const [i, [, part]] of expected.entries()) {
      const set = sets[i]!;
      const order = all.filter((id) => set[id]! > 0).sort((a, b) => set[b]! - set[a]! || a - b);
      const known = answerQuery(engine.facts, part);
      expect(parts![i]!.best).toEqual(
        order
          .slice(0, 5)
          .map((id) => ({ id, key: `e${id}`, label: `Entity ${id}`, degree: set[id], known: known.has(id) })),
      );
    }
  });

  it.each(Object.entries(queries))(
    'of %s take the head that counts most, of all entities',
    async (name, query) => {
      const engine = await open(logic, { ...everyone, ...settings }, form);
      const sets = new Map<string, Float32Array>();
      const setOf = async (part: Query): Promise<Float32Array> => {
        const key = JSON.stringify(part);
        const known = sets.get(key) ?? (await engine.degrees([part]))[0]!;
        sets.set(key, known);
        return known;
      };
      const mu = await linksOf(engine);
      const { answers } = await engine.answer(query, { k: 12, minDegree: 0, explain: true });
      // Łukasiewicz logic leaves nothing of two weak links.
      expect(answers.length > 0 || logic === 'lukasiewicz').toBe(true);
      let [count, reasoned] = [0, 0];
      for (const { id, degree, derivation } of answers) {
        expect(derivation).toMatchObject({ entity: { id }, degree });
        for (const [part, step] of stepsIn(query, derivation!)) {
          const tail = step.entity.id;
          expect(step.degree).toBe((await setOf(part))[tail]);
          if (part.op !== 'project' || step.op !== 'project') continue;
          const from = await setOf(part.from);
          const values: number[] = [];
          for (const head of all) {
            const link = mu(head, part.relation, tail);
            values.push(from[head]! > 0 ? conjunctions[logic](from[head]!, link) : 0);
          }
          const most = Math.max(...values);
          if (step.link === undefined) {
            expect(most).toBeLessThan(1e-9);
            continue;
          }
          const { head, relation, recorded, degree: linked, reasons } = step.link;
          expect(values[head.id]).toBeGreaterThanOrEqual(most - 1e-6);
          expect(relation.id).toBe(part.relation);
          expect(recorded).toBe(engine.facts.has(head.id, part.relation, tail));
          expect(linked).toBeCloseTo(mu(head.id, part.relation, tail), 5);
          expect(step.from).toMatchObject({ entity: { id: head.id } });
          expect(reasons === undefined).toBe(recorded);
          const { rules = [], neighbours = [], against = [] } = reasons ?? {};
          for (const { id: other } of neighbours) {
            expect(other).not.toBe(head.id);
            expect(engine.facts.has(other, part.relation, tail)).toBe(true);
          }
          // A rule is told with the facts that let it name the tail.
          for (const { facts } of rules)
            for (const fact of facts)
              expect(engine.facts.has(fact.head.id, fact.relation.id, fact.tail.id)).toBe(true);
          for (const { share } of against) expect(share).toBeLessThanOrEqual(0.05);
          reasoned += neighbours.length + rules.length;
          count += 1;
        }
      }
      expect(count > 0 || answers.length === 0).toBe(true);
      if (name === '1p' && logic !== 'lukasiewicz') expect(reasoned).toBeGreaterThan(0);
    },
  );
});

describe('the derivation of an answer', () => {
  it('is the best of all assignments of entities to the places of the query, where a chain is as strong as its weakest link', async () => {
    const engine = await open('godel', { ...everyone, support: 0 });
    const mu = await linksOf(engine);
    // By assignments, from the definition of each query.
    const best = (values: Iterable<number>): number => Math.max(...values);
    const strengths: readonly (readonly [Query, (answer: number) => number])[] = [
      [p(3, p(0, e(1))), (x) => best(all.map((a) => Math.min(mu(1, 0, a), mu(a, 3, x))))],
      [
        p(2, p(1, p(0, e(4)))),
        (x) => best(all.flatMap((a) => all.map((b) => Math.min(mu(4, 0, a), mu(a, 1, b), mu(b, 2, x))))),
      ],
      [
        p(2, and(p(0, e(1)), p(3, e(2)))),
        (x) => best(all.map((a) => Math.min(mu(1, 0, a), mu(2, 3, a), mu(a, 2, x)))),
      ],
      [
        and(p(2, p(1, e(3))), p(0, e(5))),
        (x) => best(all.map((a) => Math.min(mu(3, 1, a), mu(a, 2, x), mu(5, 0, x)))),
      ],
    ];
    for (const [query, strength] of strengths)
      for (const { id, degree, links: found } of (
        await engine.answer(query, { k: 40, minDegree: 0, explain: true })
      ).answers) {
        expect(degree).toBeCloseTo(strength(id), 5);
        expect(Math.min(...found!.map((link) => link.degree))).toBeCloseTo(degree, 5);
      }
  });

  it('goes through members that a projection takes along, and through recorded links of all others', async () => {
    const few = { certainMembers: 1, predictedMembers: 1 };
    const engine = await open('product', few);
    const query = p(3, p(0, e(1)));
    const [inner] = await engine.degrees([p(0, e(1))]);
    const expected = expectedTails(engine.facts, 3);
    const taken = new Set(membersOf(inner!, expected, few).ids);
    const { answers } = await engine.answer(query, { k: 40, minDegree: 0, explain: true });
    const heads = new Set<boolean>();
    for (const { derivation } of answers) {
      if (derivation?.op !== 'project' || derivation.link === undefined) continue;
      const { head, recorded } = derivation.link;
      heads.add(taken.has(head.id));
      if (!taken.has(head.id)) expect([recorded, inner![head.id]! > 0]).toEqual([true, true]);
    }
    expect(heads).toEqual(new Set([true, false]));
  });

  it('lists the links for an answer and not those against it', async () => {
    const engine = await open('product', everyone);
    const { answers } = await engine.answer(and(p(1, p(2, e(8))), not(p(5, e(9)))), {
      minDegree: 0,
      explain: true,
    });
    for (const { id, links } of answers)
      expect(links!.map(({ head, relation, tail }) => [relation.id, head.id === 8, tail.id === id])).toEqual([
        [2, true, links![0]!.tail.id === id],
        [1, links![1]!.head.id === 8, true],
      ]);
    const twice = await engine.answer(not(not(p(0, e(1)))), { explain: true });
    expect(twice.answers[0]!.links).toMatchObject([
      { head: { id: 1 }, relation: { key: 'r0', inverse: false } },
    ]);
  });

  it('lists of a union with a certain operand the links of that alone, however it is written', async () => {
    const engine = await open('product', everyone);
    const [a, b] = [p(0, e(1)), p(3, e(2))];
    for (const query of [or(a, b), not(and(not(a), not(b)))]) {
      const { answers } = await engine.answer(query, { explain: true, minDegree: 0, k: entities });
      const recorded = answers.filter(({ state }) => state === 'recorded');
      const predicted = answers.filter(({ state }) => state === 'predicted');
      // Both kinds are there, and what is recorded by one operand is predicted by the other.
      expect([recorded.length > 0, predicted.length > 0]).toEqual([true, true]);
      for (const { id, links } of recorded) {
        const certain = [a, b].filter((operand) => answerQuery(engine.facts, operand).has(asEntityId(id)));
        expect(links!.map((link) => link.recorded)).toEqual(certain.map(() => true));
      }
      for (const { links } of predicted) expect(links!.map(({ relation }) => relation.id)).toEqual([0, 3]);
    }
  });

  it('is not there unless it is asked for, and changes no answer', async () => {
    const engine = await open('product', everyone);
    for (const query of Object.values(queries)) {
      const plain = await engine.answer(query);
      expect(JSON.stringify(plain)).not.toMatch(/"(derivation|parts)"/);
      const { parts: _, answers, suggestions, ...rest } = await engine.answer(query, { explain: true });
      const bare = (list: typeof answers) => list.map(({ derivation, links, ...answer }) => answer);
      expect({ ...rest, answers: bare(answers), suggestions: bare(suggestions) }).toEqual(plain);
    }
  });

  it('is refused by the embedding, and for more steps than can be told', async () => {
    const engine = await open('product', everyone);
    // Callers without types can ask so.
    const options = { mode: 'embedding', explain: true } as object;
    await expect(engine.answer(e(1), options)).rejects.toMatchObject({ code: 'usage', path: '$.explain' });
    const random = createRandom(3);
    const wide: Query = { op: 'or', operands: Array.from({ length: 300 }, () => p(0, e(random.below(40)))) };
    await expect(engine.answer(wide, { k: 40, explain: true })).rejects.toMatchObject({
      code: 'cost',
      path: '$.explain',
      message: 'explain: expected at most 5000 steps, got 40 answers of 601 steps each',
    });
    expect((await engine.answer(wide, { k: 3, minDegree: 0, explain: true })).answers).toHaveLength(3);
  });
});
