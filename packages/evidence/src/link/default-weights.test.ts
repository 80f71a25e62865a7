import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { someGraph } from '@fuzzqe/core/testing';
import { expect, it } from 'vitest';
import { createRuleIndex } from '../rules/rule-index.ts';
import { someScores } from '../testing/some-links.ts';
import { defaultWeights } from './default-weights.ts';
import { createLinkDegrees } from './link-degrees.ts';
import { weightsOf } from './link-weights.ts';

const facts = someGraph(createRandom('default weights'), 50, 4, 120);
const mean = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, each) => sum + each, 0) / values.length;

it('are the same for each relation, with a model and without', () => {
  for (const temperature of [null, 20]) {
    const weights = defaultWeights(4, { temperature, typeRelations: [2] });
    expect(weights.temperature).toBe(temperature);
    expect(weights.typeRelations).toEqual([2]);
    for (const relation of [1, 2, 3]) expect(weightsOf(weights, relation)).toEqual(weightsOf(weights, 0));
  }
  expect(defaultWeights(4).relations).not.toEqual(defaultWeights(4, { temperature: 1 }).relations);
});

it('state that few of the links of a graph are missing, and more where a rule says so', async () => {
  const rule = { kind: 'path', relation: 0, path: [2], hits: 80, predictions: 90 } as const;
  const { scores } = someScores(createRandom('scores'), facts);
  for (const temperature of [null, 1]) {
    const weights = defaultWeights(4, { temperature });
    const rowOf = async (rules: readonly (typeof rule)[], head: number): Promise<Float32Array> =>
      createLinkDegrees({ facts, rules: createRuleIndex({ relationCount: 4, rules }), weights, scores }).rows(
        Int32Array.of(head),
        Int32Array.of(0),
      );
    const head = facts.headsOf(2)[0]!;
    const tail = facts.tails(head, 2).find((e) => e !== head && !facts.has(head, 0, e))!;
    const [without, withRule] = [await rowOf([], head), await rowOf([rule], head)];
    expect(mean(without)).toBeLessThan(0.2);
    expect(withRule[tail]! / (1 - withRule[tail]!)).toBeGreaterThan(
      (2 * without[tail]!) / (1 - without[tail]!),
    );
  }
});

it('judge links of a graph of one fact', async () => {
  const one = createKnowledgeGraph({ entityCount: 2, relationCount: 2, triples: Int32Array.of(0, 0, 1) });
  const links = createLinkDegrees({
    facts: one,
    rules: createRuleIndex({ relationCount: 2, rules: [] }),
    weights: defaultWeights(2),
  });
  expect([...(await links.rows(Int32Array.of(0), Int32Array.of(0)))]).toEqual([0, 1]);
});
