import { asEntityId } from '@fuzzqe/core';
import { entity } from '@fuzzqe/core/query';
import type { Ranker } from '@fuzzqe/engine';
import { expect, it } from 'vitest';
import { measureRecall } from './measure-recall.ts';

/** A ranker that gives the same answers to everything. */
const giving = (ids: readonly number[], scores: readonly number[]): Ranker =>
  ({ rank: async () => [{ ids: Int32Array.from(ids), scores: Float32Array.from(scores) }] }) as never; // all that is asked of it

it.each([
  ['positive', [3, 2], [3, 2], 1],
  ['negative', [-2, -3], [-2, -3], 1],
  ['negative and lower', [-2, -3], [-2, -3.001], 0.5],
  ['negative, within rounding', [-2, -3], [-2, -3.000001], 1],
])('ties with the last exact answer count as found where scores are %s', async (_, exact, found, recall) => {
  const query = entity(asEntityId(0));
  const measured = await measureRecall(
    [query],
    { exact: giving([1, 2], exact), indexed: giving([1, 9], found) },
    { k: 2 },
  );
  expect(measured).toMatchObject({ queries: 1, recall, whole: recall === 1 ? 1 : 0 });
});
