import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGolden, readManifest, verifyProfile } from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { instantiate, structureNames, structures } from '@fuzzqe/core/query';
import { openEngine } from '@fuzzqe/engine';
import { describeSession, memoryBundle } from '@fuzzqe/engine/testing';
import type { ProfileName } from '@fuzzqe/export';
import { compareGolden, exportMemoryBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderSource, nodeSessions } from './index.ts';
import { prepacks } from './session.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function tinyBundle(
  options: Parameters<typeof memoryBundle>[0] = {},
  profiles: readonly ProfileName[] = ['fp32'],
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fuzzqe-serve-'));
  folders.push(directory);
  await exportMemoryBundle(directory, await memoryBundle(options), { profiles });
  return directory;
}

describe.each(logicNames)('a bundle in %s logic on', (logic) => {
  let directory: string;
  beforeAll(async () => {
    directory = await tinyBundle({ logic });
  });
  describeSession({ describe, it }, 'onnxruntime-node cpu', async () => ({
    source: folderSource(directory),
    sessions: nodeSessions(directory, { threads: 1 }),
  }));

  it('answers every structure the same by its own graph and by operators', async () => {
    const engine = await openEngine({ source: folderSource(directory), sessions: nodeSessions(directory) });
    const random = createRandom('queries', logic);
    for (const name of structureNames) {
      const { template, anchors, relations } = structures[name];
      const draw = (count: number, below: number): number[] =>
        Array.from({ length: count }, () => random.below(below));
      const queries = Array.from({ length: 20 }, () =>
        instantiate(template, draw(anchors, 40), draw(relations, 6)),
      );
      const own = await engine.rank(queries);
      const composed = await engine.rank(queries, { plan: 'operators' });
      for (const [i, ranking] of own.entries()) {
        expect(composed[i]!.ids).toEqual(ranking.ids);
        for (const [j, value] of ranking.embedding.entries())
          expect(composed[i]!.embedding[j]).toBeCloseTo(value, 6);
      }
    }
    await engine.close();
  });
});

describe('nodeSessions', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await tinyBundle();
  });

  it('lets parity fail, with the structures named, where weights are not those of the golden cases', async () => {
    const damaged = await tinyBundle();
    const weights = join(damaged, 'models/fp32/weights.bin');
    const bytes = await readFile(weights);
    const floats = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    for (let i = 0; i < floats.length; i += 1) floats[i]! *= 1.01;
    await writeFile(weights, bytes);
    const source = folderSource(damaged);
    const engine = await openEngine({ source, sessions: nodeSessions(damaged), verify: false });
    const { passed, failures } = await compareGolden(
      engine,
      await readGolden(source, engine.manifest, 'fp32'),
    );
    expect(passed).toBe(false);
    expect(new Set(failures.map(({ structure }) => structure))).toEqual(new Set(structureNames));
    await engine.close();
    await expect(openEngine({ source, sessions: nodeSessions(damaged) })).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringContaining('models/fp32/weights.bin: altered'),
    });
  });

  it('opens a profile beside a damaged one, and none whose files were altered after it was opened', async () => {
    const directory = await tinyBundle({}, ['fp32', 'int8']);
    const alter = (path: string) => writeFile(join(directory, path), 'altered');
    await alter('models/int8/weights.bin');
    const source = folderSource(directory);
    const engine = await openEngine({ source, sessions: nodeSessions(directory) });
    await engine.warmUp();
    await engine.close();
    const sessions = nodeSessions(directory);
    await expect(openEngine({ source, sessions, profile: 'int8' })).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringContaining('models/int8/weights.bin: cut off'),
    });
    const manifest = await readManifest(source);
    const { measure: _, ...unmeasured } = source;
    const verified = await verifyProfile(unmeasured, manifest, 'fp32');
    await alter('models/fp32/2i.onnx');
    await expect(sessions.open(manifest.profiles['fp32']!.structures!['2i'], verified)).rejects.toMatchObject(
      {
        code: 'bundle',
        message: expect.stringContaining('models/fp32/2i.onnx: cut off'),
      },
    );
  });

  it('names the graph that does not open', async () => {
    const damaged = await tinyBundle();
    await writeFile(join(damaged, 'models/fp32/2i.onnx'), 'no graph');
    const engine = await openEngine({
      source: folderSource(damaged),
      sessions: nodeSessions(damaged),
      verify: false,
    });
    await expect(engine.warmUp()).rejects.toMatchObject({
      code: 'bundle',
      path: expect.stringContaining('models/fp32/2i.onnx'),
    });
    await engine.close();
  });

  it.each([
    ['cpu', undefined, undefined],
    ['cuda', undefined, '0'],
    ['auto', undefined, '0'],
    ['cuda', '1', '1'],
  ] as const)(
    'serves on %s without TF32, unless the user has set NVIDIA_TF32_OVERRIDE to %s',
    (device, set, seen) => {
      const name = 'NVIDIA_TF32_OVERRIDE';
      const before = process.env[name];
      if (set === undefined) delete process.env[name];
      else process.env[name] = set;
      try {
        nodeSessions(directory, { device });
        expect(process.env[name]).toBe(seen);
      } finally {
        if (before === undefined) delete process.env[name];
        else process.env[name] = before;
      }
    },
  );

  it('says which device it settled on, and in one line what was tried before', async () => {
    const lines: string[] = [];
    const sessions = nodeSessions(directory, { device: 'auto', log: (line) => lines.push(line) });
    expect(sessions.runtime).toBe('onnxruntime-node auto');
    const engine = await openEngine({ source: folderSource(directory), sessions });
    await engine.warmUp();
    expect(engine.runtime).toMatch(/^onnxruntime-node (cpu|cuda|webgpu)$/);
    const tried = { cuda: 0, webgpu: 1, cpu: 2 }[engine.runtime.split(' ')[1] as 'cpu' | 'cuda' | 'webgpu'];
    expect(lines).toHaveLength(tried);
    for (const line of lines) expect(line).toMatch(/^(cuda|webgpu) is not available: [^\n]+$/);
    await engine.close();
  });

  it('refuses threads that are no number of threads', () => {
    for (const threads of [0, 1.5, Number.NaN, 1e9])
      expect(() => nodeSessions(directory, { threads })).toThrow(
        expect.objectContaining({ code: 'usage', path: '$.threads' }),
      );
  });

  it.each([null, 'cpu', { devise: 'cpu' }])('refuses %j as its options', (options) => {
    expect(() => nodeSessions(directory, options as never)).toThrow(
      expect.objectContaining({ code: 'usage' }),
    );
  });

  it('refuses another device, and what is no path', () => {
    const given = (value: unknown): never => value as never; // what callers without types may give
    expect(() => nodeSessions(directory, { device: given('tpu') })).toThrow(
      'device: expected auto or cpu or cuda or webgpu, got "tpu"',
    );
    for (const path of [undefined, null, 5, ''])
      expect(() => nodeSessions(given(path))).toThrow(
        expect.objectContaining({ code: 'usage', path: '$.directory' }),
      );
  });
});

it('copies the entity table for speed in graphs that compare with it, unless it is very long', () => {
  const graph = (entities: number, name = 'ids') => ({
    weights: ['weights.bin'],
    inputs: [{ name: 'allowed', dtype: 'float' as const, shape: ['batch', entities] }],
    outputs: [{ name, dtype: 'int' as const, shape: ['batch', 'k'] }],
  });
  expect([graph(2 ** 21), graph(2 ** 21 + 1), graph(40, 'embedding')].map(prepacks)).toEqual([
    true,
    false,
    false,
  ]);
});
