import { createRandom } from '@fuzzqe/core';
import { describeEntityIndex } from '@fuzzqe/engine/testing';
import { openEntityIndex, pushIndex } from '@fuzzqe/entity-index';
import { beforeAll, describe, expect, it } from 'vitest';
import { places } from './places.ts';

/** Of so many rows every database builds a graph, and asks it. */
const entities = 5000;
const dimension = 16;

/** Rows around 16 centres, of any length, as a model has them whose entities are ranked by the cosine. */
function drawRows(): readonly Float32Array[] {
  const random = createRandom('rows of a graph');
  const draw = (): Float32Array => Float32Array.from({ length: dimension }, () => random.uniform());
  const centres = Array.from({ length: 16 }, draw);
  return Array.from({ length: entities }, (_, id) => {
    const [centre, noise, length] = [centres[id % 16]!, draw(), 1 + random.uniform()];
    return noise.map((value, i) => length * (centre[i]! + 0.5 * value));
  });
}

const drawn = drawRows();
const rows = drawn.map((row) => row.map((value) => value / Math.hypot(...row)));
const engine = {
  manifest: {
    sha256: 'c'.repeat(64),
    name: 'graph',
    model: { entities, dimension, score: 'cosine', relationForm: 'bases' },
  },
  profile: 'fp32',
  ranker: {
    rank: async (batch: readonly { readonly query: { readonly entity: number } }[]) =>
      batch.map(({ query }) => ({ task: 'embed', embedding: drawn[query.entity]! })),
  },
} as unknown as Parameters<typeof pushIndex>[0]; // all that is asked of an engine

describe.each(Object.entries(places))('%s', (name, place) => {
  if (!place.there) {
    it.skip(`${place.what} is not there: test/indexes/run-indexes.sh brings it`);
    return;
  }
  const table = `graph${process.pid}`;
  beforeAll(() => pushIndex(engine, place.address(table), { batch: 1000 }));

  describeEntityIndex({ describe, it }, `${name}, by a graph over rows of length 1`, async () => {
    const { manifest, profile } = engine;
    return {
      index: await openEntityIndex(place.address(table), { manifest, profile, checkEvery: 0 }),
      rows,
    };
  });

  it('built the graph over all rows, and asked it', async () => {
    const hand = await place.hand();
    await hand.expectGraph(table, entities, dimension);
    await hand.close();
  });
});

it('has rows whose lengths differ until they are pushed', () => {
  const lengths = drawn.map((row) => Math.hypot(...row));
  expect(Math.max(...lengths) / Math.min(...lengths)).toBeGreaterThan(1.5);
});
