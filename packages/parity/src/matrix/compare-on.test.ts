import { rm } from 'node:fs/promises';
import { FuzzError } from '@fuzzqe/core';
import { readGolden, readManifest } from '@fuzzqe/core/bundle';
import { parityTolerances } from '@fuzzqe/engine';
import { folderSource } from '@fuzzqe/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goldenParityCases } from '../cases/parity-case.ts';
import type { ParityRuntime } from '../runtimes/runtime.ts';
import { tinyBundle } from '../testing/tiny-bundle.ts';
import { compareOn, type ProfileTask } from './compare-on.ts';

let directory: string;
let task: ProfileTask;
beforeAll(async () => {
  ({ directory } = await tinyBundle());
  const source = folderSource(directory);
  const manifest = await readManifest(source);
  task = {
    target: { directory, profile: 'fp32' },
    graphs: manifest.profiles['fp32']!,
    cases: goldenParityCases(await readGolden(source, manifest, 'fp32')),
    beside: new Map(),
    tolerances: parityTolerances(manifest, 'fp32'),
    queryText: () => '',
    relation: String,
  };
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** One that does not start. */
const broken = (cause: Error): ParityRuntime => ({
  description: '',
  available: async () => ({ present: true }),
  open: () => Promise.reject(cause),
});

describe('a runtime that does not start for a bundle', () => {
  it('fails every comparison with its reason', async () => {
    const { passed, compared, failures, diagnosis } = await compareOn(
      'some',
      broken(new FuzzError('runtime', 'no memory')),
      task,
    );
    expect({ passed, compared }).toEqual({ passed: false, compared: 3 * 14 * 4 });
    expect(new Set(failures.map(({ message }) => message))).toEqual(new Set(['no memory']));
    expect(diagnosis.join('\n')).toContain('gives no answer');
  });

  it('ends the comparison where the reason is another than the runtime', async () => {
    const damaged = new FuzzError('bundle', 'damaged');
    await expect(compareOn('some', broken(damaged), task)).rejects.toBe(damaged);
  });
});
