import { createKnowledgeGraph } from '@fuzzqe/core';
import { structures } from '@fuzzqe/core/query';
import { structureOf } from '@fuzzqe/data';
import type { Rule } from '@fuzzqe/evidence';
import { expect, it } from 'vitest';
import { createRulesBaseline } from './rules-baseline.ts';

const [a, b, c, d, e, x] = [0, 1, 2, 3, 4, 5];
const [r, s, t] = [0, 2, 4];
/** s and t lead from a to b, c and d; r(X, Y) follows from s with 0.75, from t with 0.5, and from t the other way round with 0.1. */
const facts = createKnowledgeGraph({
  entityCount: 6,
  relationCount: 6,
  triples: Int32Array.from([a, s, b, a, t, c, a, t, d, b, r, x, x, r, e, x, t, d].flat()),
});
const path = (of: number, by: number, hits: number, predictions: number): Rule => ({
  ...({ kind: 'path', path: [by] } as const),
  ...{ relation: of, hits, predictions },
});
const rules = [path(r, s, 15, 15), path(r, t, 5, 5), path(r, t ^ 1, 1, 5)];

it('ranks the tails of a link by the best rule, and leaves what no rule names at the bottom together', async () => {
  const { name, score } = createRulesBaseline(facts, { relationCount: 6, rules });
  expect(name).toBe('rules');
  const degrees = await score(structureOf('1p'), Int32Array.of(a), Int32Array.of(r), 1);
  // b by 15 / 20, c and d by 5 / 10; the others by none, the head itself not at all.
  expect(degrees[b]).toBeCloseTo(0.75, 2);
  expect(degrees[c]).toBeCloseTo(0.5, 2);
  expect(degrees[d]).toBe(degrees[c]);
  expect(degrees[e]).toBeCloseTo(1e-4, 6);
  expect(degrees[x]).toBe(degrees[e]);
  expect(degrees[a]).toBe(0);
  // A recorded fact is certain.
  expect((await score(structureOf('1p'), Int32Array.of(b), Int32Array.of(r), 1))[x]).toBe(1);
});

it('tells apart equally good rules by how many there are', async () => {
  // Of c and d, a second rule names d, no better than the first.
  const more: Rule[] = [
    ...rules,
    { kind: 'constant', relation: r, tail: d, body: { relation: t, tail: c }, hits: 5, predictions: 5 },
  ];
  const { score } = createRulesBaseline(facts, { relationCount: 6, rules: more });
  const degrees = await score(structureOf('1p'), Int32Array.of(a), Int32Array.of(r), 1);
  expect(degrees[d]).toBeGreaterThan(degrees[c]!);
  expect(degrees[d]).toBeLessThan(degrees[b]!);
});

it('answers other structures by the plan of mode sets', async () => {
  const { score } = createRulesBaseline(facts, { relationCount: 6, rules });
  // r of r of a: b with 0.75 by a rule, and x from b by a recorded fact.
  const { anchors, relations } = structures['2p'];
  expect([anchors, relations]).toEqual([1, 2]);
  const degrees = await score(structureOf('2p'), Int32Array.of(a), Int32Array.of(r, r), 1);
  expect(degrees[x]).toBeCloseTo(0.75, 1);
  expect(degrees[x]).toBeGreaterThan(degrees[e]!);
});
