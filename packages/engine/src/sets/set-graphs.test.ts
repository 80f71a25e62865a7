import { defaultCalibration, type SetFeeds } from '@fuzzqe/core/sets';
import { expect, it } from 'vitest';
import { rankedAtOnce } from '../embedding/rank-embeddings.ts';
import type { TensorValues } from '../sessions/session.ts';
import { memoryBundle } from '../testing/memory-bundle.ts';
import { referenceGraphs } from '../testing/reference-graphs.ts';
import { createSetGraphs } from './set-graphs.ts';

const heads = Int32Array.of(3, 17, 39);
const offsets = new Float32Array(3).fill(-2 - 0.98 * defaultCalibration.temperature);

/** What links and a projection come to where a run may hold so many numbers, and how many numbers each run had. */
async function computedWithin(numbers: number | undefined) {
  const { config, parameters } = await memoryBundle();
  const graphs = referenceGraphs(config, parameters);
  const runs: { readonly graph: string; readonly numbers: number }[] = [];
  const { entities } = config;
  const { links, projectSet } = createSetGraphs({
    model: config,
    calibration: defaultCalibration,
    ...(numbers === undefined ? {} : { numbers }),
    async run(graph, feeds: TensorValues) {
      const columns = graph === 'projectSetAt' ? feeds['candidates']!.data.length : entities;
      runs.push({ graph, numbers: feeds['heads']!.data.length * columns });
      return graphs(graph)(feeds);
    },
  });
  const recorded = Float32Array.from({ length: 3 * entities }, (_, i) =>
    i >= 2 * entities ? 0.5 + i / 1000 : i % 7 === 0 ? 0.5 : 0,
  );
  const membership = Float32Array.of(1, 0.5, 0.25);
  const feeds: SetFeeds = { heads, relation: 2, offsets, membership, recorded };
  const ofLinks = await links({ heads, relations: Int32Array.of(1, 0, 5), offsets });
  return { ofLinks, ofSet: await projectSet(feeds), runs };
}

it('computes the same in parts where links and entities are more numbers than one run may hold', async () => {
  const whole = await computedWithin(undefined);
  expect(whole.runs).toEqual([
    { graph: 'links', numbers: 120 },
    { graph: 'projectSet', numbers: 120 },
  ]);
  const parts = await computedWithin(90);
  expect(Math.max(...parts.runs.map(({ numbers }) => numbers))).toBeLessThanOrEqual(90);
  expect(new Set(parts.runs.map(({ graph }) => graph))).toEqual(new Set(['links', 'projectSetAt']));
  expect(parts.ofLinks).toEqual(whole.ofLinks);
  expect(parts.ofSet).toEqual(whole.ofSet);
  // Degrees that differ: of equal ones any order would do.
  expect(new Set(whole.ofSet).size).toBeGreaterThan(10);
});

it('ranks fewer rows in a run the more entities there are, and one at least', () => {
  expect([1e4, 1e6, 1e7, 1e9].map((entities) => rankedAtOnce(entities, 32))).toEqual([16, 8, 1, 1]);
  expect(rankedAtOnce(1e4, 4)).toBe(4);
  expect(rankedAtOnce(40, 32, { numbers: 90 })).toBe(2);
});
