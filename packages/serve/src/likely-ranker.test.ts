import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { instantiate, structureNames, structures } from '@fuzzqe/core/query';
import {
  createLikelyRanker,
  createLocalRanker,
  openBundle,
  type Ranker,
  type SetsResult,
} from '@fuzzqe/engine';
import { linksAmongOf } from '@fuzzqe/engine/derived';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderSource, nodeSessions } from './index.ts';

let directory = '';
const rankers: Ranker[] = [];
const opened: string[] = [];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fuzzqe-likely-'));
  await exportMemoryBundle(directory, await memoryBundle({ relationForm: 'blocks' }), {
    profiles: ['fp32'],
    golden: 1,
  });
  const bundle = await openBundle(folderSource(directory));
  const sessions = nodeSessions(directory, { threads: 1 });
  const noted = {
    runtime: sessions.runtime,
    open: (...of: Parameters<typeof sessions.open>) => {
      opened.push(of[0].path);
      return sessions.open(...of);
    },
    openDerived: (...of: Parameters<NonNullable<typeof sessions.openDerived>>) => {
      opened.push('derived');
      return sessions.openDerived!(...of);
    },
  };
  const linksAmong = await linksAmongOf(bundle.source, bundle.profile, bundle.manifest.model, 1);
  rankers.push(
    createLocalRanker(bundle, { sessions }),
    createLikelyRanker({ ...bundle, linksAmong }, { sessions: noted, cacheBytes: 2 ** 20 }),
  );
});
afterAll(async () => {
  await Promise.all(rankers.map((ranker) => ranker.close()));
  await rm(directory, { recursive: true, force: true });
});

const random = createRandom('likely answers');
const draw = (count: number, below: number): number[] =>
  Array.from({ length: count }, () => random.below(below));
const queries = structureNames.flatMap((structure) => {
  const { template, anchors, relations } = structures[structure];
  return [1, 2].map(() => instantiate(template, draw(anchors, 40), draw(relations, 6)));
});
const requests = (more: { readonly minDegree?: number }) =>
  queries.map((query) => ({ task: 'sets' as const, query, k: 10, exclude: 'known' as const, ...more }));

describe('a ranker of likely tails', () => {
  const apart = (left: readonly SetsResult[], right: readonly SetsResult[]): number =>
    Math.max(
      ...left.flatMap(({ degrees }, i) =>
        Array.from(degrees, (degree, at) => Math.abs(degree - (right[i]!.degrees[at] ?? 0))),
      ),
    );

  it('answers as the ranker of all tails where all tails are likely, and opens no graph of all', async () => {
    const [whole, likely] = rankers as [Ranker, Ranker];
    const expected = await whole.rank(requests({ minDegree: 0.01 }));
    const found = await likely.rank(requests({ minDegree: 0.01 }));
    expect(opened).toEqual(['derived']);
    expect(found.map(({ degrees }) => degrees.length)).toEqual(expected.map(({ degrees }) => degrees.length));
    expect(apart(expected, found)).toBeLessThan(1e-5);
    // The answers differ from each other.
    expect(apart(expected, [...expected.slice(1), expected[0]!])).toBeGreaterThan(0.02);
  });

  it('asks the graph of all tails for answers of any degree, alone and beside others', async () => {
    const [whole, likely] = rankers as [Ranker, Ranker];
    const expected = await whole.rank(requests({}));
    const [first] = requests({ minDegree: 0.01 });
    const mixed = await likely.rank([first!, ...requests({})]);
    expect(opened).toHaveLength(2);
    expect(opened[1]).toMatch(/links\.onnx$/);
    expect(mixed.slice(1)).toEqual(expected);
    expect(mixed.slice(0, 1)).toEqual(await likely.rank([first!]));
  });
});
