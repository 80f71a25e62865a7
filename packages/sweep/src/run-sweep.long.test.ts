import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom, FuzzError } from '@fuzzqe/core';
import { type QuerySets, sampleQuerySets } from '@fuzzqe/data';
import { tinyDataset } from '@fuzzqe/data/testing';
import { storageError } from '@fuzzqe/files';
import { loadBest, ortCpuRuntime, plainTraining, type TrainingConfig } from '@fuzzqe/train';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeClaim } from './claim.ts';
import { createSweep, type Sweep } from './open-sweep.ts';
import { runSweep, type SweepWork, type SweepWorker } from './run-sweep.ts';
import { folderStore } from './store/folder-store.ts';
import type { SweepStore } from './store/sweep-store.ts';
import type { SweepFile } from './sweep-file.ts';
import { sweepStatus, writeBestTrial } from './sweep-status.ts';
import { readResult, type TrialResult } from './trial-result.ts';

const dataset = tinyDataset('tiny', 1);
const base: TrainingConfig = {
  ...plainTraining,
  batch: { '1p': 6, '2p': 3, '2i': 3 },
  steps: 20,
  seed: 3,
  validation: { every: 5, patience: 1000, mode: 'embedding' },
};
const sweepOf = (changes: Partial<SweepFile> = {}, name = 'tiny'): Sweep =>
  createSweep(
    {
      ...{ strategy: 'grid', seed: 1, budget: {}, objective: { metric: 'mrr', direction: 'maximize' } },
      parameters: { 'optimiser.learningRate': { choices: [0.000001, 0.01, 0.03] } },
      ...changes,
    },
    base,
    { name, sha256: '', queries: {} },
  );

describe('a sweep', () => {
  let folder: string;
  let queries: QuerySets;
  let stores = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-sweep-'));
    const sizes = { train: 20, valid: 5, test: 1 };
    queries = await sampleQuerySets(dataset, { sizes, random: createRandom('queries') });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const newStore = (): SweepStore => {
    stores += 1;
    return folderStore(join(folder, `store-${stores}`));
  };
  const work = (store: SweepStore, changes: Partial<SweepWorker> = {}): Promise<SweepWork> =>
    runSweep({
      ...{ store, sweep: sweepOf(), dataset, queries, threads: 1 },
      ...{ runtime: ortCpuRuntime({ threads: 1 }), folder: join(folder, 'work'), pause: async () => {} },
      ...changes,
    });
  const results = async (store: SweepStore, count = 3): Promise<(TrialResult | undefined)[]> =>
    Promise.all(Array.from({ length: count }, (_, trial) => readResult(store, trial)));
  /** Without what time decides, and which process had it. */
  const plain = (each: TrialResult | undefined): unknown => ({ ...each, seconds: 0, claim: 0 });

  it('is done once, by however many work on it, with the results of one alone', async () => {
    const [alone, shared] = [newStore(), newStore()];
    const done = await work(alone);
    expect(done).toMatchObject({ ended: 'done', running: 0, trials: { length: 3 } });
    const each = await Promise.all([work(shared), work(shared), work(shared)]);
    expect(each.flatMap(({ trials }) => trials)).toHaveLength(3);
    expect((await results(shared)).map(plain)).toEqual((await results(alone)).map(plain));
    expect((await shared.list('')).filter((key) => key.includes('claim-'))).toHaveLength(3);
    // Finished trials are not trained again, nor by their number.
    expect(await work(shared)).toMatchObject({ trials: { length: 0 }, running: 0 });
    expect(await work(shared, { trial: 1 })).toMatchObject({ trials: { length: 0 } });
    // Nothing is left where they were trained.
    expect(await readdir(join(folder, 'work'))).toEqual([]);
  });

  it('goes on by another process where one was stopped, to the same bytes', async () => {
    const [whole, cut] = [newStore(), newStore()];
    await work(whole, { trial: 1 });
    const stop = new AbortController();
    const onStep = ({ step }: { step: number }): void => {
      if (step === 8) stop.abort();
    };
    const first = await work(cut, { trial: 1, signal: stop.signal, observer: { onStep } });
    expect(first).toMatchObject({ ended: 'interrupted', trials: [{ kind: 'interrupted', step: 8 }] });
    const left = (await sweepStatus(cut)).trials[1];
    expect(left).toMatchObject({ state: 'left', best: { step: 5 } });
    const steps: number[] = [];
    const second = await work(cut, { trial: 1, observer: { onStep: ({ step }) => void steps.push(step) } });
    expect(second.trials).toMatchObject([{ kind: 'ended', result: { claim: 2, outcome: 'finished' } }]);
    expect(steps[0]).toBe(9);
    expect(plain(await readResult(cut, 1))).toEqual(plain(await readResult(whole, 1)));
    const tensors = (store: SweepStore): Promise<string[]> =>
      store.list('runs/000001/').then((keys) => keys.map((key) => key.replace(/^(runs\/\d+)\/\d+/, '$1')));
    expect(await tensors(cut)).toEqual(await tensors(whole));
    const [a, b] = [join(folder, 'whole'), join(folder, 'cut')];
    await Promise.all([writeBestTrial(whole, a), writeBestTrial(cut, b)]);
    expect((await loadBest(b)).parameters).toEqual((await loadBest(a)).parameters);
  });

  it('leaves a trial to whoever gives signs of life, and takes it over when there are none', async () => {
    const store = newStore();
    await work(store, { most: 1 });
    const claim = (await takeClaim(store, 1, 1, { lease: 1000 }))!;
    expect(await takeClaim(store, 1, 1)).toBeUndefined();
    expect(await work(store, { trial: 1, signal: AbortSignal.abort() })).toMatchObject({
      trials: { length: 0 },
    });
    expect(await work(store)).toMatchObject({ trials: [{ result: { trial: 2 } }], running: 1 });
    // As if it were of another machine and 999 or 1001 seconds old.
    const aged = (age: number): SweepStore => ({
      ...store,
      async read(key) {
        const found = await store.read(key);
        return found && { text: found.text.replace(/"machine":"[^"]*"/, '"machine":"another"'), age };
      },
    });
    expect(await work(aged(999))).toMatchObject({ trials: { length: 0 }, running: 1 });
    expect(await work(aged(1001))).toMatchObject({ trials: [{ result: { trial: 1, claim: 2 } }] });
    expect(await claim.isHeld()).toBe(false);
    expect(claim.lost.aborted).toBe(true);
    await claim.end({ release: true });
  });

  it('takes over at once what a process of this machine left that is gone', async () => {
    const store = newStore();
    await work(store, { most: 1 });
    const claim = (await takeClaim(store, 1, 1, { lease: 100_000 }))!;
    const path = join(store.name, 'trials/000001-claim-000001.json');
    const record = JSON.parse(await readFile(path, 'utf8')) as { pid: number; machine?: string };
    // Elsewhere than on Linux nothing tells machines apart, and the lease has to run out.
    const isKnown = record.machine !== undefined;
    // No process has a number of this size.
    await store.write('trials/000001-claim-000001.json', JSON.stringify({ ...record, pid: 2 ** 22 + 1 }));
    const found = await work(store);
    // What nobody had comes first.
    expect(found.trials.map((end) => end.kind === 'ended' && end.result.trial)).toEqual(
      isKnown ? [2, 1] : [2],
    );
    await claim.end({ release: false });
  });

  it('keeps no result of a process whose trial was taken over', async () => {
    const store = newStore();
    let taken: Awaited<ReturnType<typeof takeClaim>>;
    const onValidation = async ({ step }: { step: number }): Promise<void> => {
      if (step === 10) taken = await takeClaim(store, 0, 2);
    };
    const ends: unknown[] = [];
    const stop = new AbortController();
    const onTrialEnd = (_: number, end: unknown): void => {
      ends.push(end);
      // It would wait for the other process.
      stop.abort();
    };
    await work(store, { trial: 0, observer: { onValidation }, onTrialEnd, signal: stop.signal });
    expect(ends).toEqual([{ kind: 'lost' }]);
    expect(await readResult(store, 0)).toBeUndefined();
    await taken!.end({ release: true });
    // The control: what is not taken over has one.
    await work(store, { trial: 0 });
    expect(await readResult(store, 0)).toMatchObject({ claim: 3 });
  });

  it('stops trials that are worse, says so, and writes the best', async () => {
    const store = newStore();
    const parameters = { 'optimiser.learningRate': { choices: [0.03, 0.01, 0.000001] } };
    const sweep = sweepOf({ parameters, pruning: { kind: 'halving', first: 5, factor: 3 } });
    const { trials } = await work(store, { sweep });
    const ended = trials.flatMap((end) => (end.kind === 'ended' ? [end.result] : []));
    const [best, ...others] = ended.toSorted((a, b) => b.best!.value - a.best!.value);
    const pruned = others.filter(({ outcome }) => outcome === 'pruned');
    expect(pruned.length).toBeGreaterThan(0);
    for (const each of pruned) {
      expect(each.steps).toBeLessThan(20);
      // It was worse than another at its last rung.
      const there = ended.map(({ values }) => values.find(({ step }) => step === each.steps)?.value ?? 0);
      expect(Math.max(...there)).toBeGreaterThan(each.values.at(-1)!.value);
    }
    const status = await sweepStatus(store);
    expect(status.best).toMatchObject({ trial: best!.trial, best: best!.best });
    expect(status.trials.filter(({ state }) => state === 'pruned')).toHaveLength(pruned.length);
    const out = join(folder, 'best');
    const { config } = await writeBestTrial(store, out);
    expect(JSON.parse(await readFile(join(out, 'config.json'), 'utf8'))).toEqual(config);
    expect((await loadBest(out)).state.best!.step).toBe(best!.best!.step);
    await expect(writeBestTrial(store, out)).rejects.toThrow(/something here already/);
  });

  it('has a trial that diverges as failed, and goes on', async () => {
    const store = newStore();
    const sweep = sweepOf({ parameters: { 'optimiser.learningRate': { choices: [1e30, 0.01] } } });
    const { trials } = await work(store, { sweep });
    expect(trials).toMatchObject([
      { result: { outcome: 'failed', error: expect.stringMatching(/the loss became/) } },
      { result: { outcome: 'finished' } },
    ]);
    expect((await sweepStatus(store)).best).toMatchObject({ trial: 1 });
  });

  it('ends a trial that has used its minutes', async () => {
    const store = newStore();
    // Less than a step takes: it ends after its first, before anything is validated.
    const none = await work(store, { sweep: sweepOf({ budget: { minutes: 1e-9 } }), most: 1 });
    expect(none.trials).toMatchObject([{ result: { outcome: 'failed', steps: 1 } }]);
    const steps = await work(newStore(), { sweep: sweepOf({ budget: { steps: 7 } }), most: 1 });
    expect(steps.trials).toMatchObject([{ result: { outcome: 'finished', steps: 7 } }]);
  });

  it('releases a trial that the machine cannot go on with, and the next process can', async () => {
    const store = newStore();
    let isFull = false;
    const full: SweepStore = {
      ...store,
      async upload(key, path) {
        if (isFull)
          throw storageError(
            'cannot write the file',
            key,
            Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' }),
          );
        await store.upload(key, path);
      },
    };
    const onStep = ({ step }: { step: number }): void => {
      isFull = step > 8;
    };
    await expect(work(full, { trial: 0, observer: { onStep } })).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringMatching(/the disk is full/),
    });
    expect((await sweepStatus(store)).trials[0]).toMatchObject({ state: 'left' });
    const steps: number[] = [];
    await work(store, { trial: 0, observer: { onStep: ({ step }) => void steps.push(step) } });
    expect(steps[0]).toBe(6);
    expect(await readResult(store, 0)).toMatchObject({ outcome: 'finished', claim: 2 });
  });

  it('goes on through a time without its store, to the same results', async () => {
    const [whole, store] = [newStore(), newStore()];
    const sweep = sweepOf({ pruning: { kind: 'median', startup: 1, warmupSteps: 0 } });
    await work(whole, { sweep, most: 1 });
    let [isOut, asked, isEntered] = [false, 0, false];
    const ask = <T>(does: () => Promise<T>): Promise<T> => {
      // It is back at the tenth request after the training.
      if (isEntered && isOut) asked += 1;
      if (!isOut || asked > 10) return does();
      return Promise.reject(new FuzzError('runtime', 'the store cannot be reached'));
    };
    const away: SweepStore = {
      ...store,
      read: (...given) => ask(() => store.read(...given)),
      write: (...given) => ask(() => store.write(...given)),
      create: (...given) => ask(() => store.create(...given)),
      list: (...given) => ask(() => store.list(...given)),
      upload: (...given) => ask(() => store.upload(...given)),
    };
    const onStep = ({ step }: { step: number }): void => {
      isOut = step > 3;
      isEntered = step === 20;
    };
    await work(away, { sweep, most: 1, lease: 100_000, observer: { onStep } });
    expect(asked).toBeGreaterThan(10);
    expect(plain(await readResult(store, 0))).toEqual(plain(await readResult(whole, 0)));
    await expect(writeBestTrial(store, join(folder, 'away'))).resolves.toMatchObject({ trial: 0 });
  });

  it('ends soon after the signal where the store takes no checkpoint any more, and frees the trial', async () => {
    const store = newStore();
    let isStuck = false;
    const stuck: SweepStore = {
      ...store,
      async upload(key, path, patience) {
        const { signal } = patience!;
        if (isStuck) {
          if (signal?.aborted === false) await once(signal, 'abort');
          throw new FuzzError('interrupted', 'stopped while the store was asked');
        }
        await store.upload(key, path);
      },
    };
    const stop = new AbortController();
    const onStep = ({ step }: { step: number }): void => {
      if (step < 8) return;
      isStuck = true;
      stop.abort();
    };
    const end = await work(stuck, { trial: 0, grace: 0.05, signal: stop.signal, observer: { onStep } });
    expect(end).toMatchObject({ ended: 'interrupted', trials: [{ kind: 'interrupted' }] });
    expect((await sweepStatus(store)).trials[0]).toMatchObject({ state: 'left' });
    // The next goes on from what the store has.
    const steps: number[] = [];
    await work(store, { trial: 0, observer: { onStep: ({ step }) => void steps.push(step) } });
    expect(steps[0]).toBe(6);
  });

  it('is interrupted where the signal comes while the store is listed, and leaves the trials', async () => {
    const store = newStore();
    for (const trial of [undefined, 1]) {
      const stop = new AbortController();
      const stopping: SweepStore = {
        ...store,
        async list(prefix) {
          stop.abort();
          return store.list(prefix);
        },
      };
      const options = { ...(trial === undefined ? {} : { trial }), signal: stop.signal };
      expect(await work(stopping, options)).toEqual({ ended: 'interrupted', trials: [], running: 0 });
    }
    expect(await store.list('trials/')).toEqual([]);
  });

  it('leaves out a trial that this machine cannot run, runs the others, and ends with its error', async () => {
    const store = newStore();
    const refused: number[] = [];
    let current = -1;
    const worker: Partial<SweepWorker> = {
      onTrial: (trial) => {
        current = trial;
      },
      observer: {
        onStep() {
          if (current === 0) throw new FuzzError('runtime', 'it does not fit');
        },
      },
      onTrialError: (trial) => void refused.push(trial),
    };
    await expect(work(store, worker)).rejects.toThrow('it does not fit');
    expect(refused).toEqual([0]);
    expect((await sweepStatus(store)).trials.map(({ state }) => state)).toEqual([
      'left',
      'finished',
      'finished',
    ]);
  });

  it('writes no best trial without its run', async () => {
    const store = newStore();
    await work(store, { most: 1 });
    for (const key of await store.list('runs/000000/')) await store.remove(key);
    const out = join(folder, 'none');
    await expect(writeBestTrial(store, out)).rejects.toMatchObject({ code: 'data' });
    expect(await readdir(folder)).not.toContain('none');
  });

  it('is refused in the store of another, with what differs, and without a trial of its number', async () => {
    const store = newStore();
    await work(store, { most: 1 });
    await expect(work(store, { sweep: sweepOf({ seed: 2 }) })).rejects.toThrow(
      /holds another sweep .*, with another file$/,
    );
    await expect(work(store, { sweep: sweepOf({}, 'other') })).rejects.toThrow(/with another data set$/);
    await expect(work(store, { trial: 3 })).rejects.toMatchObject({ code: 'range' });
    await expect(sweepStatus(newStore())).rejects.toThrow(/there is no sweep here/);
    await expect(writeBestTrial(store, join(folder, 'x'))).resolves.toMatchObject({ trial: 0 });
  });
});
