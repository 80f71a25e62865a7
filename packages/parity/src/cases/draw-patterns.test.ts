import { rm } from 'node:fs/promises';
import { type Manifest, parityTolerances, profileOf, readManifest } from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import { planPattern, treeOf } from '@fuzzqe/core/query';
import { folderSource } from '@fuzzqe/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareAnswers, type ProfileTask } from '../matrix/compare-answers.ts';
import type { ParityCell } from '../matrix/matrix.ts';
import { openReference } from '../reference/reference.ts';
import { parityRuntimes } from '../runtimes/registry.ts';
import type { Answerer } from '../runtimes/runtime.ts';
import { tinyBlocks, tinyBundle } from '../testing/tiny-bundle.ts';
import { drawPatterns, rankedTuples } from './draw-patterns.ts';
import type { ParityCase } from './parity-case.ts';

it('draws patterns that are no trees, the same from the same seed', () => {
  const config = { entities: 30, relations: 6 } as Parameters<typeof drawPatterns>[0];
  const [one, again, other] = [1, 1, 2].map((seed) => drawPatterns(config, 5, createRandom('drawn', seed)));
  expect(one).toHaveLength(15);
  expect(again).toEqual(one);
  expect(other).not.toEqual(one);
  expect(one!.every((pattern) => treeOf(planPattern(pattern)) === undefined)).toBe(true);
});

it('ranks tuples by numbers that tell them apart', () => {
  const tuples = Int32Array.of(1, 2, 2, 1, 60_000_000, 3);
  const { ids } = rankedTuples({ tuples, degrees: Float32Array.of(0.9, 0.8, 0.7) });
  expect(new Set(Array.from(ids)).size).toBe(3);
  expect(Array.from(ids).every(Number.isSafeInteger)).toBe(true);
});

describe.each([
  ['bases', () => tinyBundle('patterns')],
  ['blocks', () => tinyBlocks()],
] as const)('patterns of a model with %s', (_, bundle) => {
  let directory: string;
  let manifest: Manifest;
  let cases: ParityCase[];
  let task: ProfileTask;
  beforeAll(async () => {
    ({ directory } = await bundle());
    manifest = await readManifest(folderSource(directory));
    const reference = await openReference(directory, 'fp32', manifest);
    cases = [];
    for (const query of drawPatterns(manifest.model, 6, createRandom('parity of patterns')))
      cases.push({
        ...{ kind: 'pattern', structure: null, query, anchors: [], relations: [] },
        expected: await reference.expect(query, 10),
      });
    await reference.close();
    task = {
      ...{ directory, profile: 'fp32', graphs: profileOf(manifest, 'fp32'), cases, beside: new Map() },
      tolerances: parityTolerances(manifest, 'fp32'),
      queryText: () => 'a pattern',
      relation: String,
    };
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const failuresOf = ({ failures }: ParityCell) => failures.filter(({ by }) => by === 'pattern');
  const compared = (): number => cases.filter(({ expected }) => expected.set !== undefined).length;

  it.each(['node', 'web', 'javascript'] as const)('have on %s the tuples of float64', async (name) => {
    // A budget that ends every search would leave nothing to compare.
    expect(compared()).toBeGreaterThan(9);
    const answerer = await parityRuntimes[name].open({ directory, profile: 'fp32' });
    const cell = await compareAnswers(name, answerer, task);
    await answerer.close();
    expect(failuresOf(cell)).toEqual([]);
    expect(cell.modes.sets.compared).toBe(compared());
  });

  it('differ where a runtime leaves the best tuple out, turns tuples round, or has other degrees', async () => {
    const answerer = await parityRuntimes.javascript.open({ directory, profile: 'fp32' });
    const wrong = async (change: (tuples: Awaited<ReturnType<Answerer['match']>>[number]) => object) => {
      const match: Answerer['match'] = async (plans, k) =>
        (await answerer.match(plans, k)).map((found) => ({ ...found, ...change(found) }));
      return failuresOf(await compareAnswers('wrong', { ...answerer, runtime: 'wrong', match }, task)).length;
    };
    const all = compared();
    const turned = (id: number): number => (id % 2 ** 26) * 2 ** 26 + Math.floor(id / 2 ** 26);
    const most = 0.5 * all;
    expect(
      await wrong(({ ids, scores }) => ({
        ids: Array.from(ids).slice(1),
        scores: Array.from(scores).slice(1),
      })),
    ).toBeGreaterThan(most);
    expect(await wrong(({ ids }) => ({ ids: Array.from(ids, turned) }))).toBeGreaterThan(most);
    expect(
      await wrong(({ scores }) => ({ scores: Array.from(scores, (each) => each * 0.99) })),
    ).toBeGreaterThan(most);
    await answerer.close();
  });
});
