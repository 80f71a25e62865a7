import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { presets } from '@fuzzqe/train';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { takeClaim } from '../claim.ts';
import { claimNext } from '../claim-next.ts';
import { createSweep, enterSweep, readSweep } from '../open-sweep.ts';
import { sweepStatus } from '../sweep-status.ts';
import { describeFolderStore } from '../testing/describe-folder-store.ts';
import { readResult, type TrialResult } from '../trial-result.ts';
import { createTrialView } from '../trial-view.ts';
import { folderStore } from './folder-store.ts';
import type { SweepStore } from './sweep-store.ts';
import { trialKeys } from './trial-keys.ts';

vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  link: async () => {
    throw Object.assign(new Error('EPERM: link'), { code: 'EPERM', syscall: 'link' });
  },
}));

const newFolder = describeFolderStore('in a folder without hard links', { describe, it, expect, afterAll });

describe('in a folder without hard links, an empty file that a killed process left', () => {
  const sweep = createSweep(
    {
      ...{ strategy: 'random', trials: 3, seed: 1, budget: {} },
      objective: { metric: 'mrr', direction: 'maximize' },
      parameters: { 'optimiser.learningRate': { uniform: [0.001, 0.01] } },
    },
    presets.countries.training,
    { name: 'tiny', sha256: '0', queries: {} },
  );
  const next = (store: SweepStore, trials = [0, 1, 2]) =>
    claimNext(store, createTrialView(store), {
      ...{ trials, left: new Set<number>(), lease: 1e6, random: createRandom('next') },
    });
  /** Leaves it so many seconds ago. */
  const leave = async (store: SweepStore, key: string, seconds: number): Promise<void> => {
    const path = join(store.name, key);
    await store.write(key, 'x');
    await writeFile(path, '');
    const then = Date.now() / 1000 - seconds;
    await utimes(path, then, then);
  };

  it('is no sweep: the next process enters it, and waits for one that was just begun', async () => {
    const store = folderStore(await newFolder());
    await leave(store, 'sweep.json', 30);
    await expect(readSweep(store)).rejects.toThrow('there is no sweep here');
    const waits: number[] = [];
    await enterSweep(store, sweep, {
      async pause() {
        waits.push(1);
        // As if the minute passed.
        if (waits.length === 2) await leave(store, 'sweep.json', 90);
      },
    });
    expect(waits).toHaveLength(2);
    expect((await readSweep(store)).digest).toBe(sweep.digest);
  });

  it('is not waited for once the signal says stop', async () => {
    const store = folderStore(await newFolder());
    await leave(store, 'sweep.json', 30);
    const stop = new AbortController();
    const pause = async (): Promise<void> => stop.abort();
    await expect(enterSweep(store, sweep, { signal: stop.signal, pause })).rejects.toMatchObject({
      code: 'interrupted',
    });
  });

  it('is a claim of nobody: the trial is left for the lease, and then had under the next number', async () => {
    const store = folderStore(await newFolder());
    await leave(store, trialKeys.claim(0, 1), 90);
    expect(await next(store, [0])).toEqual({ claimed: undefined, running: 1 });
    expect(await store.create(trialKeys.claim(0, 1), '{}')).toBe(false);
    await leave(store, trialKeys.claim(0, 1), 130);
    const { claimed } = await next(store, [0]);
    expect(claimed?.claim).toMatchObject({ trial: 0, number: 2 });
    await claimed!.claim.end({ release: false });
  });

  it('is no result: the trial is taken over, and its result entered', async () => {
    const store = folderStore(await newFolder());
    await enterSweep(store, sweep);
    for (const trial of [0, 1, 2]) await (await takeClaim(store, trial, 1))!.end({ release: trial === 0 });
    const result: TrialResult = {
      ...{ trial: 1, parameters: {}, outcome: 'finished', steps: 1, values: [], seconds: 1, claim: 1 },
    };
    await store.create(trialKeys.result(1), JSON.stringify(result));
    await leave(store, trialKeys.result(0), 90);
    expect((await sweepStatus(store)).trials.map(({ state }) => state)).toEqual([
      'left',
      'finished',
      'running',
    ]);
    const { claimed } = await next(store);
    expect(claimed?.claim).toMatchObject({ trial: 0, number: 2 });
    const own = JSON.stringify({ ...result, trial: 0, claim: 2 });
    expect(await store.create(trialKeys.result(0), own)).toBe(true);
    expect(await store.create(trialKeys.result(0), own)).toBe(false);
    expect(await readResult(store, 0)).toMatchObject({ claim: 2 });
    await claimed!.claim.end({ release: false });
    expect((await readdir(join(store.name, 'trials'))).sort()).toEqual([
      '000000-claim-000001.json',
      '000000-claim-000002.json',
      '000000-result.json',
      '000001-claim-000001.json',
      '000001-result.json',
      '000002-claim-000001.json',
    ]);
  });
});
