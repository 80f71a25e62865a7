import { createKnowledgeGraph } from '@fuzzqe/core';
import { instantiate, type Query, structures } from '@fuzzqe/core/query';
import { expect, it } from 'vitest';
import { calibratedRating, createLinkRows, sigmoidRating } from './link-rows.ts';
import { type OptimumMode, optimumDegrees } from './optimum-modes.ts';

// Entity 0 leads to 1 and 2 along relation 0, as is recorded.
const facts = createKnowledgeGraph({
  entityCount: 5,
  relationCount: 2,
  triples: Int32Array.of(0, 0, 1, 0, 0, 2),
});
/** Scores by what a tail is: 0, −1, −2, … */
const scores = async (heads: Int32Array): Promise<Float32Array> =>
  Float32Array.from({ length: heads.length * 5 }, (_, i) => -(i % 5));
const answer = async (mode: OptimumMode, query: Query, beam?: number): Promise<readonly number[]> => {
  const [degrees] = await optimumDegrees({ mode, scores, temperature: 2, facts, beam })([query]);
  return [...degrees!];
};
const link = (head: number): Query => instantiate(structures['1p'].template, [head], [0]);
const softmax = (): number[] => {
  const weights = [0, 1, 2, 3, 4].map((t) => Math.exp(-2 * t));
  const total = weights.reduce((a, b) => a + b);
  return weights.map((each) => each / total);
};
const close = (found: readonly number[], expected: readonly number[]): void => {
  expect(found).toHaveLength(expected.length);
  found.forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i]!, 6);
  });
};

it('CQD has the sigmoid of each score, and knows no facts', async () => {
  for (const mode of ['beam-product', 'beam-min'] as const)
    close(
      await answer(mode, link(0)),
      [0, 1, 2, 3, 4].map((t) => 1 / (1 + Math.exp(2 * t))),
    );
});

it('QTO has shares times the number of tails, 1 of facts, less than 1 otherwise, and 0 below ε', async () => {
  const [first, second, third, fourth, fifth] = softmax();
  expect(2 * first!).toBeGreaterThan(1);
  expect(fifth).toBeGreaterThan(2e-4);
  close(await answer('qto', link(0)), [1 - 1e-4, 1, 1, 2 * fourth!, 2 * fifth!]);
  // Another head has no recorded tail.
  close(await answer('qto', link(3)), [first!, second!, third!, fourth!, fifth!]);
  const rows = createLinkRows(5, scores, calibratedRating(4, facts));
  const [row] = await rows.rows(Int32Array.of(3), 0);
  expect(row![4]).toBe(0);
});

it('negations are 1 − x in CQD, and take three times the degree in QTO', async () => {
  const query: Query = { op: 'not', operand: link(3) };
  const [, second, third] = softmax();
  const ofQto = await answer('qto', query);
  expect(ofQto[0]).toBe(0);
  expect(ofQto[1]).toBeCloseTo(1 - 3 * second!, 6);
  expect(ofQto[2]).toBeCloseTo(1 - 3 * third!, 6);
  close(
    await answer('beam-min', query),
    [0, 1, 2, 3, 4].map((t) => 1 - 1 / (1 + Math.exp(2 * t))),
  );
});

it('rows are computed once while there is room, and rated by themselves', async () => {
  const asked: number[] = [];
  const counted = (heads: Int32Array): Promise<Float32Array> => {
    asked.push(...heads);
    return scores(heads);
  };
  const rows = createLinkRows(5, counted, sigmoidRating(1));
  const first = await rows.rows(Int32Array.of(3, 1), 0);
  const again = await rows.rows(Int32Array.of(1, 4), 0);
  expect(asked).toEqual([3, 1, 4]);
  expect(again[0]).toBe(first[1]);
  await rows.rows(Int32Array.of(1), 1);
  expect(asked).toEqual([3, 1, 4, 1]);
});
