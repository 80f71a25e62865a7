import { createRandom } from '@fuzzqe/core';
import { createQueriesBuilder, type QueryScorer } from '@fuzzqe/data';
import { expect, it } from 'vitest';
import { evaluateDegrees } from './evaluate-degrees.ts';

const entityCount = 4;
const always =
  (degrees: readonly number[]): QueryScorer =>
  async (_, __, ___, rows) =>
    Float32Array.from({ length: rows * entityCount }, (_, i) => degrees[i % entityCount]!);

function queriesOf(hard: readonly (readonly number[])[], structure: '1p' | '2p' = '1p') {
  const builder = createQueriesBuilder(structure);
  const relations = structure === '1p' ? [0] : [0, 1];
  for (const ids of hard) builder.add({ anchors: [0], relations, easy: [0], hard: ids });
  return builder.build();
}

it('compares the degrees of unrecorded candidates with what held-out facts confirm', async () => {
  const queries = [queriesOf([[1], [1, 3], [], []])];
  const { structures, all } = await evaluateDegrees({
    ...{ queries, score: always([1, 0.5, 0.25, 0.001]), entityCount },
  });
  // Entity 0 is recorded, and 3 is not told; 1 came true twice of four times, 2 never.
  expect(all).toMatchObject({ queries: 4, count: 8, found: 2, untold: 1 });
  expect(all.ece).toBeCloseTo((0 * 4 + 0.25 * 4) / 8, 6);
  expect(all.brier).toBeCloseTo((4 * 0.25 + 4 * 0.0625) / 8, 6);
  expect(all.brierOfShare).toBeCloseTo(0.25 * 0.75, 12);
  expect(structures).toEqual({ '1p': all });
});

it('finds true frequencies calibrated, and degrees that are too high not', async () => {
  const random = createRandom('outcomes');
  const hard = Array.from({ length: 2000 }, () => (random.uniform() < 0.3 ? [1] : []));
  const queries = [queriesOf(hard), queriesOf(hard.slice(0, 3), '2p')];
  const judge = async (degree: number) =>
    (await evaluateDegrees({ queries, score: always([0, degree, 0, 0]), entityCount })).all;
  const [right, wrong] = [await judge(0.3), await judge(0.8)];
  expect(right.ece).toBeLessThan(0.04);
  expect(right.brier).toBeCloseTo(right.brierOfShare, 2);
  expect(wrong.ece).toBeGreaterThan(0.4);
  expect(wrong.brier).toBeGreaterThan(wrong.brierOfShare + 0.2);
});

it('tells each structure, and refuses no queries', async () => {
  const queries = [queriesOf([[1]]), queriesOf([[], []], '2p')];
  const { structures } = await evaluateDegrees({ queries, score: always([1, 1, 0, 0]), entityCount });
  expect([structures['1p']!.found, structures['2p']!.found, structures['2p']!.queries]).toEqual([1, 0, 2]);
  const none = evaluateDegrees({ queries: [], score: always([]), entityCount });
  await expect(none).rejects.toThrow('expected queries, got none');
});
