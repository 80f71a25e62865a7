import { changedFacts, createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { graphOf } from '../testing/graph-of.ts';
import { applyRules } from './apply-rules.ts';
import { explainRules } from './explain-rules.ts';
import { createRuleIndex } from './rule-index.ts';
import { compareRules, confidenceOf, type Rule, type RuleSet } from './rule-set.ts';

const path = (relation: number, relations: readonly number[], hits = 5, predictions = 5): Rule => ({
  kind: 'path',
  relation,
  path: relations,
  hits,
  predictions,
});
const constant = (
  relation: number,
  tail: number,
  [along, to]: readonly [number, number],
  hits = 5,
  predictions = 5,
): Rule => ({ kind: 'constant', relation, tail, body: { relation: along, tail: to }, hits, predictions });
const setOf = (relationCount: number, ...rules: readonly Rule[]): RuleSet => ({ relationCount, rules });

type Fact = readonly [number, number, number];

/** Facts that are none of some facts: their tails moved on. */
function elsewhere(facts: readonly Fact[]): Fact[] {
  const known = new Set(facts.map(String));
  return facts.map(([h, r, t]): Fact => [h, r, (t + 1) % 400]).filter((fact) => !known.has(String(fact)));
}

/** What the docstring of `applyRules` says, in lists and maps. */
function slowly(set: RuleSet, facts: KnowledgeGraph, head: number, relation: number) {
  const named = new Map<number, number[]>();
  const name = (entity: number, rule: Rule): void => {
    named.set(entity, [...(named.get(entity) ?? []), confidenceOf(rule)]);
  };
  let looked = 0;
  for (const rule of [...set.rules].sort(compareRules)) {
    if (rule.relation !== relation || rule.kind !== 'path') continue;
    if (looked >= 2 ** 13) break;
    let paths = [[head]];
    for (const step of rule.path) {
      const longer: number[][] = [];
      const edges = paths.flatMap((from) =>
        [...facts.tails(from.at(-1)!, step)].map((tail) => ({ from, tail })),
      );
      for (const { from, tail } of edges.slice(0, 1024)) {
        looked++;
        if (!from.includes(tail)) longer.push([...from, tail]);
      }
      paths = longer;
    }
    for (const end of new Set(paths.map((each) => each.at(-1)!))) name(end, rule);
  }
  for (const rule of set.rules)
    if (rule.relation === relation && rule.kind === 'constant')
      if (facts.has(head, rule.body.relation, rule.body.tail)) name(rule.tail, rule);
  const ids = [...named.keys()]
    .filter((id) => id !== head && !facts.has(head, relation, id))
    .sort((a, b) => a - b);
  const six = ids.map((id) =>
    named
      .get(id)!
      .sort((a, b) => b - a)
      .slice(0, 6),
  );
  return {
    ids: Int32Array.from(ids),
    best: Float32Array.from(six, ([first]) => first!),
    joined: Float32Array.from(six, (all) => 1 - all.reduce((rest, c) => rest * (1 - Math.min(c, 0.999)), 1)),
  };
}

describe('applyRules', () => {
  it('names the ends of paths and constants, without recorded tails and the head', () => {
    // 0 knows 1, 2; 1 knows 3; 2 knows 3, 0. Relation 2 holds from 0 to 4.
    const facts = graphOf([
      [0, 0, 1],
      [0, 0, 2],
      [1, 0, 3],
      [2, 0, 3],
      [2, 0, 0],
      [0, 2, 4],
    ]);
    const set = setOf(
      4,
      path(2, [0, 0], 15, 15),
      path(2, [0], 5, 15),
      constant(2, 4, [0, 1]),
      constant(2, 5, [0, 2]),
      constant(2, 6, [0, 3]),
    );
    const larger = graphOf(
      [...facts.forwardTriples()].reduce<[number, number, number][]>((rows, id, i) => {
        if (i % 3 === 0) rows.push([id, 0, 0]);
        else rows.at(-1)![i % 3] = id;
        return rows;
      }, []),
      { entities: 7 },
    );
    const { ids, best, joined } = applyRules(createRuleIndex(set), larger, 0, 2);
    // 3 once of both paths; 4 is recorded; 6 asks for a fact that is not there.
    expect([...ids]).toEqual([1, 2, 3, 5]);
    expect([...best]).toEqual([0.25, 0.25, 0.75, 0.5].map(Math.fround));
    expect([...joined]).toEqual([0.25, 0.25, 0.75, 0.5].map(Math.fround));
  });

  it('never leads siblings to oneself', () => {
    // 0 and 1 are children of 2.
    const facts = graphOf([
      [0, 0, 2],
      [1, 0, 2],
      [0, 2, 3],
    ]);
    const set = setOf(4, path(3, [0, 1]), path(2, [0, 1]));
    expect([...applyRules(createRuleIndex(set), facts, 0, 2).ids]).toEqual([1]);
    expect([...applyRules(createRuleIndex(set), facts, 1, 2).ids]).toEqual([0]);
  });

  it('joins the six best rules, however many there are', () => {
    const relations = [0, 2, 4, 6, 8, 10, 12];
    const facts = graphOf([...relations.map((r) => [0, r, 1] as const), [2, 14, 3]]);
    const paths = relations.map((r, i) => path(14, [r], 1 + i, 15));
    const { joined, best } = applyRules(
      createRuleIndex(setOf(16, ...paths, constant(14, 1, [0, 1], 19, 20))),
      facts,
      0,
      14,
    );
    const six = [19 / 25, 7 / 20, 6 / 20, 5 / 20, 4 / 20, 3 / 20];
    expect(best[0]).toBe(Math.fround(19 / 25));
    expect(joined[0]).toBe(Math.fround(1 - six.reduce((rest, c) => rest * (1 - c), 1)));
  });

  it('looks at 1024 edges a level, and begins no rule after 2^13', () => {
    const hub = Array.from({ length: 2000 }, (_, i) => 10 + i);
    const facts = graphOf([
      ...[0, 2, 4, 6, 8, 10, 12, 14].flatMap((r) => hub.map((tail) => [0, r, tail] as const)),
      ...hub.map((tail, i) => [tail, 16, 3000 + i] as const),
      [0, 18, 1],
      [2, 20, 3],
    ]);
    const chain = createRuleIndex(setOf(22, path(20, [0, 16])));
    const { ids } = applyRules(chain, facts, 0, 20);
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([1024, 3000, 4023]);
    const surer = (rules: number) =>
      setOf(
        22,
        ...[0, 2, 4, 6, 8, 10, 12, 14].slice(0, rules).map((r) => path(20, [r], 9, 9)),
        path(20, [18], 1, 9),
      );
    const isNamed = (rules: number) =>
      applyRules(createRuleIndex(surer(rules)), facts, 0, 20).ids.includes(1);
    expect([isNamed(7), isNamed(8)]).toEqual([true, false]);
  });

  it.each([
    [1, 'as indexed'],
    [2, 'after changes'],
    [3, 'after changes'],
  ])('is what its description says, on graphs and rules drawn by seed %i, %s', (seed, how) => {
    const random = createRandom('apply', seed);
    const entity = (): number => Math.floor(40 * random.uniform() ** 3);
    const drawn = Array.from(
      { length: 2500 },
      () => [entity(), 2 * random.below(3), random.below(400)] as const,
    );
    const indexed = graphOf(drawn, { entities: 400 });
    // Half of the facts come later, and half of those before them go.
    const facts =
      how === 'as indexed'
        ? indexed
        : changedFacts(graphOf([...drawn.slice(0, 1250), ...elsewhere(drawn)], { entities: 400 }), {
            added: Int32Array.from(drawn.slice(1250).flat()),
            removed: Int32Array.from(elsewhere(drawn).flat()),
          }).graph;
    expect(facts.forwardTriples()).toEqual(indexed.forwardTriples());
    const rules = new Map<string, Rule>();
    const counts = () => [1 + random.below(9), 10 + random.below(5)] as const;
    for (let i = 0; i < 160; i++) {
      const along = Array.from({ length: 1 + random.below(3) }, () => random.below(6));
      const rule = path(random.below(6), along, ...counts());
      rules.set(`${rule.relation} ${along}`, rule);
    }
    for (let i = 0; i < 1200; i++) {
      const rule = constant(
        random.below(6),
        random.below(400),
        [random.below(6), random.below(400)],
        ...counts(),
      );
      rules.set(JSON.stringify({ ...rule, hits: 0, predictions: 0 }), rule);
    }
    const set = setOf(6, ...rules.values());
    const index = createRuleIndex(set);
    let named = 0;
    for (let head = 0; head < 90; head += 3)
      for (let relation = 0; relation < 6; relation++) {
        const fired = applyRules(index, facts, head, relation);
        expect(fired).toEqual(slowly(set, indexed, head, relation));
        named += fired.ids.length;
      }
    expect(named).toBeGreaterThan(500);
  });

  it('names nothing where nothing is: no rules, ids out of range', () => {
    const facts = graphOf([[0, 0, 1]]);
    for (const [head, relation] of [
      [0, 0],
      [5, 0],
      [-1, 0],
      [0, 9],
      [0, -1],
    ] as const)
      expect(applyRules(createRuleIndex(setOf(2)), facts, head, relation).ids).toEqual(new Int32Array());
  });
});

describe('explainRules', () => {
  // 0 → 1 → 2 by relation 0; 0 has attribute (2, 3).
  const facts = graphOf([
    [0, 0, 1],
    [1, 0, 2],
    [0, 2, 3],
    [4, 4, 5],
  ]);
  const set = setOf(
    6,
    path(4, [0, 0], 5, 15),
    constant(4, 2, [2, 3], 10, 15),
    path(4, [0], 9, 9),
    path(4, [0, 0, 0]),
  );
  const rules = createRuleIndex(set);

  it('gives the rules that name a tail, best first, with one instance', () => {
    expect(explainRules(rules, facts, 0, 4, 2, 9)).toEqual([
      { rule: set.rules[1], confidence: 0.5, entities: [0, 3] },
      { rule: set.rules[0], confidence: 0.25, entities: [0, 1, 2] },
    ]);
    expect(explainRules(rules, facts, 0, 4, 2, 1)).toHaveLength(1);
    expect(explainRules(rules, facts, 0, 4, 2, 0)).toEqual([]);
  });

  it('gives none of a tail that no rule names, of the head, and of ids out of range', () => {
    expect(explainRules(rules, facts, 0, 4, 3, 9)).toEqual([]);
    expect(explainRules(rules, facts, 0, 4, 0, 9)).toEqual([]);
    expect(explainRules(rules, facts, 77, 4, 2, 9)).toEqual([]);
  });
});
