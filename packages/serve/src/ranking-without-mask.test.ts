import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { profileOf, readManifest } from '@fuzzqe/bundle';
import { createRandom, FuzzError } from '@fuzzqe/core';
import { instantiate, structureNames, structures } from '@fuzzqe/core/query';
import { openEngine } from '@fuzzqe/engine';
import { rankAllOf } from '@fuzzqe/engine/derived';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { type ProfileName, profileNames } from '@fuzzqe/export';
import { checkOnnx, decodeOnnx, encodeOnnx } from '@fuzzqe/onnx';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { folderSource, nodeSessions } from './index.ts';
import { pausedAttempts } from './paused-attempts.ts';
import { prepacks } from './session.ts';

let [directory, ofBlocks] = ['', ''];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fuzzqe-mask-'));
  ofBlocks = join(directory, 'blocks');
  directory = join(directory, 'bases');
  const blocks = await memoryBundle({ relationForm: 'blocks' });
  await exportMemoryBundle(directory, await memoryBundle(), { profiles: profileNames, golden: 1 });
  await exportMemoryBundle(ofBlocks, blocks, { profiles: ['fp32', 'int8'], golden: 1 });
});
afterAll(() => rm(join(directory, '..'), { recursive: true, force: true }));

const rankOf = async (profile: ProfileName, directory: string) => {
  const source = folderSource(directory);
  const manifest = await readManifest(source);
  return { source, manifest, profile: profileOf(manifest, profile) };
};

describe.each([
  ...profileNames.map((name) => [name, 'bases'] as const),
  ...(['fp32', 'int8'] as const).map((name) => [name, 'blocks'] as const),
])('the ranking of all entities in %s with %s', (name, form) => {
  const folder = (): string => (form === 'blocks' ? ofBlocks : directory);
  it('is the bundle’s graph without its mask, by the rules of the exporter', async () => {
    const { source, manifest, profile } = await rankOf(name, folder());
    const derived = await rankAllOf(source, profile);
    const model = decodeOnnx(derived!.bytes);
    const before = decodeOnnx(await source.read(profile.rank.path));
    const kinds = (graph: typeof before): (string | undefined)[] =>
      graph.graph!.node.map(({ opType }) => opType);
    expect(kinds(before)).toContain('Where');
    expect(kinds(model).filter((kind) => kind === 'Where' || kind === 'GreaterOrEqual')).toEqual([]);
    expect(derived!.inputs.map((each) => each.name)).toEqual(['embedding', 'k']);
    const beside = profile.rank.path.replace(/[^/]+$/, '');
    checkOnnx(model, {
      externalSize: (location) => manifest.files[beside + location]?.bytes,
      signature: { name: 'rank', inputs: derived!.inputs, outputs: derived!.outputs },
    });
  });

  it('answers as the masked one does, and leaves the masked one to queries that leave entities out', async () => {
    const sessions = nodeSessions(folder(), { threads: 1 });
    const opened: string[] = [];
    const noted = {
      runtime: sessions.runtime,
      open: (...[graph, source]: Parameters<typeof sessions.open>) => {
        opened.push(graph.path);
        return sessions.open(graph, source);
      },
    };
    const open = (given: typeof noted) =>
      openEngine({ source: folderSource(folder()), sessions: given, profile: name, plan: 'operators' });
    const masked = await open(noted);
    const free = await open({
      ...noted,
      derive: rankAllOf,
      openDerived: (...[graph, source]: Parameters<NonNullable<typeof sessions.openDerived>>) =>
        sessions.openDerived!(graph, source),
    } as typeof noted);
    const random = createRandom('mask');
    const draw = (count: number, below: number): number[] =>
      Array.from({ length: count }, () => random.below(below));
    const queries = structureNames.flatMap((structure) => {
      const { template, anchors, relations } = structures[structure];
      return [1, 2, 3].map(() => instantiate(template, draw(anchors, 40), draw(relations, 6)));
    });
    const expected = await masked.rank(queries);
    const isMask = (path: string): boolean => path.endsWith('rank.onnx');
    expect(opened.filter(isMask)).toHaveLength(1);
    expect(await free.rank(queries)).toEqual(expected);
    expect(opened.filter(isMask)).toHaveLength(1);
    const without = { exclude: 'known' } as const;
    expect(await free.rank(queries, without)).toEqual(await masked.rank(queries, without));
    expect(opened.filter(isMask)).toHaveLength(2);
    await Promise.all([masked.close(), free.close()]);
  });
});

it('goes on with the bundle’s own graph where the runtime refuses the derived one, says so once, and tries again what passes', async () => {
  const sessions = nodeSessions(directory, { threads: 1 });
  const refusing = {
    runtime: sessions.runtime,
    open: sessions.open.bind(sessions),
    derive: rankAllOf,
    openDerived: () => Promise.reject(new FuzzError('runtime', 'no such graph')),
  };
  const said: string[] = [];
  const source = folderSource(directory);
  const [free, masked] = [
    await openEngine({ source, sessions: refusing, plan: 'operators', log: (line) => said.push(line) }),
    await openEngine({
      source,
      sessions: { ...refusing, openDerived: undefined } as never,
      plan: 'operators',
    }),
  ];
  const query = instantiate(structures['2i'].template, [1, 2], [0, 3]);
  await free.warmUp();
  for (const exclude of ['none', 'known'] as const)
    expect(await free.rank([query], { exclude })).toEqual(await masked.rank([query], { exclude }));
  expect(said).toEqual([expect.stringContaining('no such graph')]);
  await Promise.all([free.close(), masked.close()]);
  // What passes turns nothing off.
  let attempts = 0;
  const short = {
    ...refusing,
    openDerived: pausedAttempts((...given: Parameters<NonNullable<typeof sessions.openDerived>>) => {
      attempts += 1;
      if (attempts > 2) return sessions.openDerived!(...given);
      return Promise.reject(new FuzzError('runtime', 'bad allocation', { passing: true }));
    }),
  };
  const heard: string[] = [];
  const later = await openEngine({
    source,
    sessions: short,
    plan: 'operators',
    log: (line) => heard.push(line),
  });
  let time = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => time);
  const [expected, beside] = await Promise.all([later.rank([query]), later.rank([query])]);
  expect([attempts, beside]).toEqual([1, expected]);
  // Each attempt costs an opening: they become rarer.
  for (const [passed, tried] of [
    [999, 1],
    [1, 2],
    [1999, 2],
    [1, 3],
    [0, 3],
  ] as const) {
    time += passed;
    expect(await later.rank([query])).toEqual(expected);
    expect(attempts).toBe(tried);
  }
  clock.mockRestore();
  expect(heard).toEqual([expect.stringContaining('bad allocation')]);
  await later.close();
  // So it is where files are opened by their paths.
  const { profile } = await rankOf('fp32', directory);
  const derived = await rankAllOf(source, profile);
  const verify = vi.fn(() => Promise.reject(new FuzzError('runtime', 'bad allocation', { passing: true })));
  for (let i = 0; i < 2; i += 1)
    await expect(sessions.openDerived!(derived!, { ...source, verify })).rejects.toMatchObject({
      passing: true,
    });
  expect(verify).toHaveBeenCalledTimes(1);
  // Files that are not those of the bundle are no fault of the runtime.
  const damaged = {
    ...refusing,
    openDerived: () => Promise.reject(new FuzzError('bundle', 'altered')),
  };
  const other = await openEngine({ source, sessions: damaged, plan: 'operators' });
  await expect(other.rank([query])).rejects.toMatchObject({ code: 'bundle' });
  await other.close();
});

it('copies the entity table of a ranking without its mask under the same limit as of the bundle’s own', async () => {
  const { source, profile } = await rankOf('fp32', directory);
  const ofEntities = (entities: number) =>
    rankAllOf(source, {
      rank: {
        ...profile.rank,
        inputs: profile.rank.inputs.map((each) =>
          each.name === 'allowed' ? { ...each, shape: ['batch', entities] } : each,
        ),
      },
    });
  expect(prepacks((await ofEntities(2 ** 21))!)).toBe(true);
  expect(prepacks((await ofEntities(2 ** 21 + 1))!)).toBe(false);
});

it('leaves a graph alone that uses its mask in another way', async () => {
  const { source, profile } = await rankOf('fp32', directory);
  const bytes = await source.read(profile.rank.path);
  const changed = (change: (opType: string | undefined) => string | undefined) => {
    const model = decodeOnnx(bytes);
    const node = model.graph!.node.map((each) => ({ ...each, opType: change(each.opType) ?? '' }));
    const other = encodeOnnx({ ...model, graph: { ...model.graph!, node } });
    return rankAllOf({ ...source, read: async () => other }, profile);
  };
  expect(await changed((opType) => opType)).toBeDefined();
  expect(await changed((opType) => (opType === 'GreaterOrEqual' ? 'Less' : opType))).toBeUndefined();
  expect(await changed((opType) => (opType === 'Where' ? 'Other' : opType))).toBeUndefined();
});
