import type { GraphEntry, Profile } from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import { decodeHalf, encodeHalf } from '@fuzzqe/core/tensor';
import type { FamilyName } from '@fuzzqe/model';
import { expect, it } from 'vitest';
import { scoreEntities } from './score-entities.ts';

const [entities, dimension] = [50, 400];
const random = createRandom('scores');
/** p_e as blocks have them: close to 1/d, with a sum of 1. */
const rows = Array.from({ length: entities }, () => {
  const inside = Array.from({ length: dimension }, () => 1 / (1 + Math.exp(-0.35 * random.normal())));
  const sum = inside.reduce((total, value) => total + value, 0);
  return inside.map((value) => value / sum);
});
/** S as a projection by blocks gives it: close to 1/2. */
const embedding = Float32Array.from({ length: dimension }, () => 0.5 + 0.01 * random.normal());

/** The most that scores are off by where the graph gives rows as float16 holds them. */
async function worst(relationForm: FamilyName): Promise<number> {
  const graph: GraphEntry = { path: 'anchor.onnx', weights: [], inputs: [], outputs: [] };
  const data = Float32Array.from(rows.flat(), (value) => decodeHalf(encodeHalf(value)));
  const session = {
    run: async () => ({ embedding: { dims: [entities, dimension], data } }),
    close: async () => undefined,
  };
  const scores = await scoreEntities(
    {
      // Of a profile nothing is asked but its anchor.
      profile: { operators: { anchor: graph } } as Profile,
      sessions: { get: async () => session, close: async () => undefined },
      batchSize: 1,
      projectedAtOnce: 1,
      model: { relationForm, score: 'innerProduct', dimension },
    },
    embedding,
    Int32Array.from({ length: entities }, (_, id) => id),
  );
  const exact = rows.map((row) => row.reduce((sum, value, i) => sum + value * embedding[i]!, 0));
  return Math.max(...exact.map((score, id) => Math.abs(scores[id]! - score)));
}

it('takes with blocks what a row of float16 is off by times what S is off its mean, and not times its half', async () => {
  // Scores of links differ by some 1e-4.
  expect(await worst('blocks')).toBeLessThan(5e-7);
  expect(await worst('bases')).toBeGreaterThan(2e-6);
});
