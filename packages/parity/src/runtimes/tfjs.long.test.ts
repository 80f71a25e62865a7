import { rm } from 'node:fs/promises';
import { planKinds } from '@fuzzqe/engine';
import { profileNames } from '@fuzzqe/export';
import { probeBackend } from '@fuzzqe/tfjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ParityMatrix } from '../matrix/matrix.ts';
import { runParity } from '../run-parity.ts';
import { rewriteRows, seal, type TinyBundle, tinyBlocks, tinyBundle } from '../testing/index.ts';
import type { ParityRuntimeName } from './registry.ts';

// They are there everywhere; WebGPU on a software renderer takes minutes.
const runtimes = ['tfjs-cpu', 'tfjs-wasm'] as const;
const tensorflow = await probeBackend('tensorflow');

let bundle: TinyBundle;
let damaged: TinyBundle;
let blocks: TinyBundle;
beforeAll(async () => {
  bundle = await tinyBundle('tfjs', profileNames);
  damaged = await tinyBundle('tfjs');
  blocks = await tinyBlocks();
});
afterAll(() =>
  Promise.all(
    [bundle, damaged, blocks].map(({ directory }) => rm(directory, { recursive: true, force: true })),
  ),
);

const parity = (
  { directory }: TinyBundle,
  names: readonly ParityRuntimeName[] = runtimes,
): Promise<ParityMatrix> => runParity({ bundle: directory, runtimes: names, fresh: 2, trees: 10, seed: 5 });

describe('TensorFlow.js', () => {
  it('answers every query in every profile by every kind of plan like float64', async () => {
    const { cells } = await parity(bundle);
    // By four kinds of plan, and what was drawn without what is known.
    const compared = 14 * 5 * 4 + 10 + 14 * 2 + 10;
    expect(cells.map(({ profile, runtime, modes }) => [profile, runtime, modes.embedding.compared])).toEqual(
      profileNames.flatMap((profile) => runtimes.map((name) => [profile, name, compared])),
    );
    for (const { runtime, on, failures, modes, embedding, degree } of cells) {
      expect(failures).toEqual([]);
      expect(modes.embedding.sameRanking).toBe(compared);
      expect(modes.sets.compared).toBeGreaterThan(50);
      expect(modes.sets.sameRanking).toBe(modes.sets.compared);
      expect(on.split(',')[0]).toBe(runtime.replace('-', ' '));
      // It computed in float32: float64 would differ by nothing.
      expect(embedding.absolute).toBeGreaterThan(0);
      expect(degree.absolute).toBeGreaterThan(0);
    }
  });

  it('fails by every kind of plan and nowhere else for a bundle in which one weight was changed', async () => {
    await rewriteRows(damaged.directory, damaged, 'relationBiases', (rowOf) => ({
      2: rowOf(2).map((value, i) => (i === 5 ? value + 0.05 : value)),
    }));
    await seal(damaged.directory);
    const { cells, passed } = await parity(damaged);
    expect(passed).toBe(false);
    expect(cells.map(({ runtime }) => runtime)).toEqual(runtimes);
    for (const { failures, diagnosis } of cells) {
      expect(new Set(failures.map(({ by }) => by))).toEqual(new Set([...planKinds, 'sets', 'best']));
      // What was drawn anew is judged by the same changed weights.
      expect(failures.filter(({ kind, relations }) => kind !== 'golden' || !relations.includes(2))).toEqual(
        [],
      );
      expect(diagnosis.join('\n')).toContain('relation 2, "r 1": ');
    }
  });

  it('answers a model of blocks like float64, and finds it where two relations are exchanged', async () => {
    const small = { bundle: blocks.directory, fresh: 2, trees: 4, seed: 5 };
    const { cells, passed } = await runParity({ ...small, runtimes: ['tfjs-wasm'] });
    expect(cells.map(({ failures }) => failures)).toEqual([[]]);
    for (const { modes } of cells) {
      expect(modes.sets.compared).toBeGreaterThan(50);
      for (const { compared, sameRanking } of Object.values(modes)) expect(sameRanking).toBe(compared);
    }
    expect(passed).toBe(true);
    await rewriteRows(blocks.directory, blocks, 'relationBlocks', (rowOf) => ({ 2: rowOf(3), 3: rowOf(2) }));
    await seal(blocks.directory);
    const exchanged = await runParity({ ...small, runtimes: ['tfjs-wasm'] });
    for (const { failures } of exchanged.cells)
      expect(new Set(failures.map(({ by }) => by))).toEqual(new Set([...planKinds, 'sets', 'best']));
  });

  it.skipIf(tensorflow.available)('says why a backend that is asked for by name is not there', async () => {
    const { reason } = tensorflow as Extract<typeof tensorflow, { available: false }>;
    await expect(parity(bundle, ['tfjs-tensorflow'])).rejects.toMatchObject({
      code: 'runtime',
      message: `the runtime tfjs-tensorflow is not available: ${reason}`,
    });
  });
});
