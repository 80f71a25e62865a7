import { cpSync, readFileSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { type QuerySets, sampleQuerySets } from '@fuzzqe/data';
import { tinyDataset } from '@fuzzqe/data/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadTensors, type RunState, readRunState } from '../checkpoint/checkpoint.ts';
import type { TrainEntry, ValidationEntry } from '../reporting/log-entry.ts';
import { readRunLog } from '../reporting/run-log.ts';
import { ortCpuRuntime } from '../runtimes/ort-runtime.ts';
import { float64Validation } from '../testing/float64-scorer.ts';
import { tinyConfig } from '../testing/tiny-run.ts';
import { loadBest, type RunOptions, runTraining } from './run.ts';

describe('a training run in a folder', () => {
  let directory: string;
  const dataset = tinyDataset('tiny', 1);
  let queries: QuerySets;

  const usual = tinyConfig({
    dropout: { input: 0.1, output: 0.1 },
    complexFrom: 0.4,
    negatives: { kind: 'shared', count: 5, byDegree: 0.5, allFrom: 0.65 },
  });
  const run = (changes: Partial<RunOptions> = {}): ReturnType<typeof runTraining> => {
    const { config = usual } = changes;
    return runTraining({
      ...{ directory, dataset, config, queries },
      validate: float64Validation(config, dataset.graphs().train, queries.valid),
      runtime: ortCpuRuntime({ threads: 1 }),
      resume: false,
      ...changes,
    });
  };
  const tensorsOf = async (folder: string): Promise<unknown> => {
    const { last, best } = await readRunState(folder);
    return {
      last: await loadTensors(folder, last!),
      best: await loadTensors(folder, best!),
      step: last!.step,
    };
  };

  /** At this very moment, while a run goes on. */
  const lastStep = (): number => {
    const state: RunState = JSON.parse(readFileSync(join(directory, 'state.json'), 'utf8'));
    return state.last?.step ?? 0;
  };

  const logOf = async (folder: string): Promise<unknown> =>
    (await readRunLog(folder)).map((entry) => ({
      ...entry,
      time: 0,
      seconds: 0,
      ...(entry.kind === 'train' ? { stepsPerSecond: 0 } : {}),
    }));

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fuzzqe-run-'));
    queries ??= await sampleQuerySets(dataset, {
      sizes: { train: 20, valid: 5, test: 1 },
      random: createRandom('queries'),
    });
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('keeps the last parameters as the best where nothing is validated', async () => {
    const seen: number[] = [];
    const { state, ended } = await run({ validate: undefined, onValidation: (at) => seen.push(at.step) });
    expect({ ended, seen, best: state.best!.step, mrr: state.best!.mrr }).toEqual({
      ended: 'finished',
      seen: [],
      best: 20,
      mrr: undefined,
    });
    const { parameters } = await loadBest(directory);
    const last = await loadTensors(directory, state.last!);
    expect([...parameters.entities]).toEqual([...last['entities']!.data]);
    expect((await readRunLog(directory)).every(({ kind }) => kind === 'train')).toBe(true);
  });

  it('writes no figure of a validation, and none that is not a number, where nothing is validated', async () => {
    const signal = new AbortController();
    const halfway = { validate: undefined, signal: signal.signal };
    await run({ ...halfway, onStep: ({ step }) => step === 7 && signal.abort() });
    await run({ validate: undefined, resume: true });
    for (const name of await readdir(directory)) {
      const text = await readFile(join(directory, name), 'latin1');
      if (/\.jsonl?$/.test(name)) expect(text).not.toMatch(/mrr|null|NaN/);
      if (name.startsWith('events.')) expect(text).not.toContain('validation/');
      if (name.startsWith('events.')) expect(text).toContain('training/loss');
    }
    const uninterrupted = join(directory, 'again');
    await run({ directory: uninterrupted, validate: undefined });
    expect(await tensorsOf(directory)).toEqual(await tensorsOf(uninterrupted));
    // What is finished has nothing to go on with: no session, no file.
    const finished = await readRunState(directory);
    expect(finished.sessions).toHaveLength(2);
    await run({ validate: undefined, resume: true });
    expect(await readRunState(directory)).toEqual(finished);
  });

  it('reaches its last step, keeps the best parameters and leaves no other files', async () => {
    const seen: number[] = [];
    const { state, ended, step } = await run({ onValidation: (at) => seen.push(at.step) });
    expect({ ended, step, status: state.status }).toEqual({
      ended: 'finished',
      step: 20,
      status: 'finished',
    });
    expect(seen).toEqual([5, 10, 15, 20]);
    const events = expect.stringMatching(/^events\.out\.tfevents\.\d{10}\.fuzzqe\.\d+\.0$/);
    expect((await readdir(directory)).sort()).toEqual([
      state.best!.file,
      events,
      state.last!.file,
      'log.jsonl',
      'state.json',
    ]);
    const best = await loadBest(directory);
    expect(best.parameters.entities).toHaveLength(24 * 8);
  });

  it.each([3, 10, 13])(
    'gives the same bytes when it is stopped after step %i and resumed',
    async (stopAt) => {
      await run();
      const whole = await tensorsOf(directory);
      const log = await logOf(directory);
      await rm(directory, { recursive: true });
      const stop = new AbortController();
      const first = await run({
        onStep: ({ step }) => void (step === stopAt && stop.abort()),
        signal: stop.signal,
      });
      expect(first).toMatchObject({ ended: 'interrupted', step: stopAt });
      await run({ resume: true });
      expect(await tensorsOf(directory)).toEqual(whole);
      expect(await logOf(directory)).toEqual(log);
      expect((await readRunState(directory)).sessions!.map(({ step }) => step)).toEqual([0, stopAt]);
    },
  );

  it.each([3, 7, 13])(
    'gives the same bytes when it goes on from a checkpoint between validations, at step %i',
    async (stopAt) => {
      await run();
      const whole = await tensorsOf(directory);
      const log = await logOf(directory);
      await rm(directory, { recursive: true });
      // What a killed process leaves: the folder as it was in the middle of a step.
      const killed = `${directory}-killed`;
      const last: number[] = [];
      await run({
        checkpointMinutes: 0,
        onStep({ step }) {
          last.push(lastStep());
          if (step === stopAt) cpSync(directory, killed, { recursive: true });
        },
      });
      expect(last).toEqual(Array.from({ length: 20 }, (_, step) => step));
      await rm(directory, { recursive: true });
      await rename(killed, directory);
      expect((await readRunState(directory)).last).toMatchObject({ step: stopAt - 1 });
      await rm(join(directory, 'lock-1.json'));
      await run({ resume: true });
      expect(await tensorsOf(directory)).toEqual(whole);
      expect(await logOf(directory)).toEqual(log);
    },
  );

  it('gives the same bytes when it is resumed and updates used rows alone, and others than with all rows', async () => {
    await run();
    const allRows = await tensorsOf(directory);
    await rm(directory, { recursive: true });
    const base = tinyConfig();
    const config = tinyConfig({
      negatives: { kind: 'shared', count: 5, byDegree: 0, allFrom: 1 },
      optimiser: { ...base.optimiser, rows: 'used' },
    });
    await run({ config });
    const whole = await tensorsOf(directory);
    expect(whole).not.toEqual(allRows);
    await rm(directory, { recursive: true });
    const stop = new AbortController();
    await run({ config, onStep: ({ step }) => void (step === 7 && stop.abort()), signal: stop.signal });
    await run({ config, resume: true });
    expect(await tensorsOf(directory)).toEqual(whole);
  });

  it('writes no checkpoint between validations where none takes as long', async () => {
    const last = new Set<number>();
    await run({ onStep: () => void last.add(lastStep()) });
    expect([...last]).toEqual([0, 5, 10, 15]);
  });

  it('is trained by one at a time, and stops where its lock is taken away', async () => {
    const refused: unknown[] = [];
    const cpu = ortCpuRuntime({ threads: 1 });
    let step = 0;
    const running = run({
      runtime: {
        ...cpu,
        async open(program, state) {
          const session = await cpu.open(program, state);
          return {
            ...session,
            async step(feeds) {
              step += 1;
              if (step === 3)
                for (const resume of [true, false])
                  refused.push(await run({ resume }).catch((error: unknown) => error));
              if (step === 8) await rm(join(directory, 'lock-1.json'));
              return session.step(feeds);
            },
          };
        },
      },
    });
    await expect(running).rejects.toMatchObject({
      code: 'runtime',
      message: expect.stringMatching(/the lock was taken away/),
    });
    expect(refused).toEqual([1, 2].map(() => expect.objectContaining({ code: 'runtime', path: directory })));
    expect((await readRunState(directory)).last).toMatchObject({ step: 5 });
  });

  it('logs the mean of ten steps, and of those before a validation, beside the validations', async () => {
    const losses: number[] = [];
    const { state } = await run({ onStep: ({ loss }) => losses.push(loss) });
    const log = await readRunLog(directory);
    expect(log.map(({ kind, step }) => `${kind} ${step}`)).toEqual(
      [5, 10, 15, 20].flatMap((step) => [`train ${step}`, `validation ${step}`]),
    );
    const [train, validation] = log as [TrainEntry, ValidationEntry];
    expect(train.loss).toBeCloseTo(losses.slice(0, 5).reduce((sum, loss) => sum + loss, 0) / 5, 12);
    expect(train.learningRate).toBeCloseTo(0.01 * (0.1 + 0.9 * 0.5 * (1 + Math.cos((Math.PI * 2) / 18))), 12);
    expect(train.temperature).not.toBe(10);
    const each = Object.values(validation.structures);
    expect(each).toHaveLength(14);
    expect(validation.mrr).toBeCloseTo(each.reduce((sum, mrr) => sum + mrr, 0) / 14, 12);
    const best = log.find(({ kind, step }) => kind === 'validation' && step === state.best!.step);
    expect(best).toMatchObject({ mrr: state.best!.mrr });
  });

  it('cuts the log back to the checkpoint that it goes on from', async () => {
    await run();
    const whole = await logOf(directory);
    await rm(directory, { recursive: true });
    const stop = new AbortController();
    await run({ onStep: ({ step }) => void (step === 7 && stop.abort()), signal: stop.signal });
    const later = { ...(await readRunLog(directory)).at(-1)!, step: 10 };
    // What a killed process leaves: entries after its last checkpoint, and half of one.
    await appendFile(join(directory, 'log.jsonl'), `${JSON.stringify(later)}\n{"kind":"tra`);
    await run({ resume: true });
    expect(await logOf(directory)).toEqual(whole);
  });

  it('goes on from the start when it ended before its first checkpoint, and clears half-written files', async () => {
    await run();
    const whole = await tensorsOf(directory);
    const { last: _, best: __, ...begun } = await readRunState(directory);
    await rm(directory, { recursive: true });
    await mkdir(directory);
    await writeFile(join(directory, 'state.json'), JSON.stringify({ ...begun, status: 'running' }));
    await writeFile(join(directory, 'last-0000005.safetensors.tmp-99'), 'half');
    await writeFile(join(directory, 'state.json.tmp-99'), '{');
    await run({ resume: true });
    expect(await tensorsOf(directory)).toEqual(whole);
    expect((await readdir(directory)).filter((name) => name.includes('tmp'))).toEqual([]);
  });

  it('leaves no folder behind when it is refused', async () => {
    await rm(directory, { recursive: true });
    const config = tinyConfig({ complexFrom: 0 });
    await expect(run({ config, queries: { ...queries, train: [] } })).rejects.toThrow(/asks for 2p queries/);
    await expect(readdir(directory)).rejects.toThrow(/ENOENT/);
  });

  it('refuses a log that is damaged, and says where', async () => {
    const stop = new AbortController();
    await run({ onStep: ({ step }) => void (step === 7 && stop.abort()), signal: stop.signal });
    await writeFile(join(directory, 'log.jsonl'), 'nonsense\n');
    await expect(run({ resume: true })).rejects.toMatchObject({
      code: 'checkpoint',
      path: join(directory, 'log.jsonl:1'),
    });
  });

  it('gives other bytes with another seed', async () => {
    await run();
    const one = await tensorsOf(directory);
    await rm(directory, { recursive: true });
    await run({ config: tinyConfig({ dropout: { input: 0.1, output: 0.1 }, complexFrom: 0.4, seed: 4 }) });
    expect(await tensorsOf(directory)).not.toEqual(one);
  });

  it('stops when validation has not improved for as long as its patience', async () => {
    const config = tinyConfig({
      steps: 400,
      validation: { every: 5, patience: 10, mode: 'embedding' as const },
      complexFrom: 1,
    });
    const { ended, state } = await run({ config });
    expect(ended).toBe('stalled');
    expect(state.last!.step - state.best!.step).toBe(10);
  });

  it('does not overwrite a run that is there, nor go on with one that is not', async () => {
    await expect(run({ resume: true })).rejects.toThrow(/no training run here/);
    await run();
    await expect(run()).rejects.toThrow(/there is a training run here already/);
  });

  it('refuses to go on with another graph or another configuration', async () => {
    await run();
    await expect(run({ resume: true, dataset: tinyDataset('other', 2) })).rejects.toThrow(
      /another graph \(tiny/,
    );
    const config = tinyConfig({ dropout: { input: 0.2, output: 0.1 }, complexFrom: 0.4 });
    await expect(run({ resume: true, config })).rejects.toThrow(/\$\.dropout\.input was 0\.1, is 0\.2/);
  });

  it('refuses parameters that were altered after they were written', async () => {
    const { state } = await run();
    const path = join(directory, state.best!.file);
    const bytes = await readFile(path);
    bytes[bytes.length - 3]! ^= 0x40;
    await writeFile(path, bytes);
    await expect(loadBest(directory)).rejects.toThrow(/sha256 is .*, expected/);
  });

  it('goes on from where it has finished for as many steps as it is asked for, as a run that was told at once', async () => {
    const constant = { kind: 'constant', warmupSteps: 0, finalShare: 1 } as const;
    const config = tinyConfig({
      batch: { '1p': 6 },
      optimiser: { ...tinyConfig().optimiser, schedule: constant },
    });
    await run({ config: { ...config, steps: 35 } });
    const whole = await tensorsOf(directory);
    await rm(directory, { recursive: true });
    await run({ config });
    const again = await run({ config, resume: true });
    expect(again).toMatchObject({ ended: 'finished', step: 20, state: { sessions: [{ step: 0 }] } });
    const { step, state } = await run({ config: { ...config, steps: 35 }, resume: true });
    expect(step).toBe(35);
    expect(state).toMatchObject({ status: 'finished', reopened: 20, config: { steps: 35 } });
    expect(await tensorsOf(directory)).toEqual(whole);
    await expect(run({ config, resume: true })).rejects.toMatchObject({
      code: 'checkpoint',
      message: 'steps: expected at least 35, which it has, got 20',
    });
  });

  it('goes on where it has stalled when it is told to, and has stalled again after its patience', async () => {
    const config = tinyConfig({
      steps: 400,
      validation: { every: 5, patience: 10, mode: 'embedding' as const },
      complexFrom: 1,
    });
    const { state, step } = await run({ config });
    expect(await run({ config, resume: true })).toMatchObject({ ended: 'stalled', step });
    const on = await run({ config, resume: true, reopen: true });
    expect(on.ended).toBe('stalled');
    expect(on.step - Math.max(on.state.best!.step, step)).toBe(10);
    expect(on.state.best!.mrr).toBeGreaterThanOrEqual(state.best!.mrr!);
  });

  it('logs what the loss has learned at the step that it says, where a device runs several at once', async () => {
    const cpu = ortCpuRuntime({ threads: 1 });
    const config = tinyConfig({ batch: { '1p': 6 } });
    const learnedAt = async (folder: string) =>
      new Map(
        (await readRunLog(folder)).flatMap((entry) =>
          entry.kind === 'train' ? [[entry.step, entry.temperature]] : [],
        ),
      );
    await run({ config });
    const byOne = new Map<number, number>();
    await run({
      config,
      directory: join(directory, 'one'),
      async onStep({ step, learned }) {
        byOne.set(step, (await learned!()).temperature!);
      },
    });
    const three: typeof cpu = {
      ...cpu,
      async open(program, state) {
        const session = await cpu.open(program, state);
        const multiStep = {
          count: 3,
          async run(feeds: readonly Parameters<typeof session.step>[0][]) {
            const losses: number[] = [];
            for (const each of feeds) losses.push(await session.step(each));
            return losses;
          },
        };
        return { ...session, multiStep };
      },
    };
    await run({ config, runtime: three, directory: join(directory, 'three') });
    const logged = await learnedAt(join(directory, 'three'));
    expect([...logged.keys()]).toEqual([5, 10, 15, 20]);
    for (const [step, temperature] of logged) expect(temperature).toBeCloseTo(byOne.get(step)!, 6);
    expect(byOne.get(5)).not.toBeCloseTo(byOne.get(6)!, 6);
    const long = { ...config, validation: { every: 20, patience: 1000, mode: 'embedding' as const } };
    await run({ config: long, runtime: three, directory: join(directory, 'long') });
    const rare = await learnedAt(join(directory, 'long'));
    expect([...rare.keys()]).toEqual([12, 20]);
    for (const [step, temperature] of rare) expect(temperature).toBeCloseTo(byOne.get(step)!, 6);
  });

  it('keeps the step that it has reached where a validation fails', async () => {
    const validate = () => Promise.reject(new Error('broken'));
    await expect(run({ validate })).rejects.toThrow('broken');
    expect((await readRunState(directory)).last).toMatchObject({ step: 5 });
  });
});
