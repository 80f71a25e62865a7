import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectOptions, FuzzError, schema } from '@fuzzqe/core';
import { parseTrainingConfig, presets, type TrainingConfig } from '@fuzzqe/train';
import { drawTrial, type TrialParameters, trialConfig, trialCount } from './draw-trial.ts';
import type { SweepStore } from './store/sweep-store.ts';
import { type SweepFile, sweepFileSchema } from './sweep-file.ts';

/** The data of a sweep: those of all its machines must be the same. */
export interface SweepData {
  readonly name: string;
  /** Of the graph with its split. */
  readonly sha256: string;
  /** Of the files of queries, where there are any. */
  readonly queries: Readonly<Record<string, string>>;
}

/** A sweep: everything that decides its trials. */
export interface Sweep {
  /** SHA-256 of all else, which tells it from every other sweep. */
  readonly digest: string;
  readonly file: Omit<SweepFile, 'data' | 'config'>;
  /** What trials differ from. */
  readonly base: TrainingConfig;
  readonly data: SweepData;
  readonly trials: number;
  parametersOf(trial: number): TrialParameters;
  configOf(trial: number): TrainingConfig;
}

interface SweepRecord extends Pick<Sweep, 'digest' | 'file' | 'data'> {
  readonly format: 'fuzzqe-sweep';
  readonly version: 1;
  readonly base: Readonly<Record<string, unknown>>;
}

const recordSchema: schema.Schema<SweepRecord> = schema.object({
  format: schema.oneOf(['fuzzqe-sweep']),
  version: schema.oneOf([1]),
  digest: schema.string,
  file: sweepFileSchema,
  base: schema.record(schema.anything),
  data: schema.object({
    name: schema.string,
    sha256: schema.string,
    queries: schema.record(schema.string),
  }),
});

/** Where a store says which sweep it holds. */
const sweepKey = 'sweep.json';

/**
 * A sweep of a file, a base and data. The configurations of all its trials are checked here.
 *
 * @throws FuzzError `config`: a path that is none, a value out of range, more trials than a grid has points.
 * @example
 * const data = { name: 'mine', sha256: hashDataset(dataset), queries: {} };
 * const sweep = createSweep(await readSweepFile('sweep.json'), await loadTrainingConfig('countries'), data);
 */
export function createSweep(given: SweepFile, base: TrainingConfig, data: SweepData, path = '$'): Sweep {
  expectOptions('createSweep', given, ['parameters', 'strategy']);
  const { data: _, config: __, ...file } = given;
  // A grid runs through its parameters in their order; that of other keys says nothing.
  const text = canonical({ file, base, data, order: Object.keys(file.parameters) });
  const digest = createHash('sha256').update(text).digest('hex');
  const trials = trialCount(file);
  const parametersOf = (trial: number): TrialParameters => drawTrial(file, trial);
  const configOf = (trial: number, where = path): TrainingConfig =>
    trialConfig(base, parametersOf(trial), file, where);
  for (let trial = 0; trial < trials; trial += 1) configOf(trial, `${path}, trial ${trial}`);
  return { digest, file, base, data, trials, parametersOf, configOf };
}

/** How often an entry is looked at that another process makes: for longer than a store keeps one that has no text. */
const looks = 120;

/**
 * Enters a sweep in a store that is empty, or goes on with the same one.
 *
 * @throws FuzzError `usage`: the store holds another sweep. `runtime`: it cannot be reached, or makes over a file that is there.
 * `interrupted`: by the signal.
 */
export async function enterSweep(
  store: SweepStore,
  sweep: Sweep,
  {
    signal,
    pause = () => sleep(1000, undefined, signal && { signal }).catch(() => {}),
  }: {
    readonly signal?: AbortSignal | undefined;
    /** Waits before it looks again. Default: a second. */
    readonly pause?: () => Promise<unknown>;
  } = {},
): Promise<void> {
  await store.expectExclusive();
  const { digest, file, base, data } = sweep;
  const record: SweepRecord = {
    format: 'fuzzqe-sweep',
    version: 1,
    digest,
    file,
    base: base as unknown as Readonly<Record<string, unknown>>,
    data,
  };
  const enter = (): Promise<boolean> => store.create(sweepKey, `${JSON.stringify(record, null, 2)}\n`);
  // In a folder without hard links its text may come a moment later, or never: then it can be made after a while.
  for (let look = 1; look < looks; look += 1) {
    if (await enter()) return;
    if ((await store.read(sweepKey)) !== undefined) break;
    await pause();
    if (signal?.aborted === true)
      throw new FuzzError('interrupted', 'stopped while the sweep was entered', { path: store.name });
  }
  const there = await readSweep(store);
  if (there.digest === digest) return;
  const differing = (['file', 'base', 'data'] as const).filter(
    (part) => canonical(there[part]) !== canonical(sweep[part]),
  );
  const words = { file: 'file', base: 'base configuration', data: 'data set' };
  throw new FuzzError(
    'usage',
    `the store holds another sweep (${there.digest.slice(0, 12)}…, not ${digest.slice(0, 12)}…), with another ${differing.map((part) => words[part]).join(' and another ')}`,
    {
      path: store.name,
      hint: 'Take another store, or the file, configuration and data that it was begun with.',
    },
  );
}

/**
 * The sweep that a store holds. @throws FuzzError `usage`: there is none. `data`: what says so is damaged.
 *
 * @example
 * const { trials } = await readSweep(openStore('sweeps/mine'));
 */
export async function readSweep(store: SweepStore): Promise<Sweep> {
  const found = await store.read(sweepKey);
  if (found === undefined)
    throw new FuzzError('usage', 'there is no sweep here', {
      path: store.name,
      hint: 'Start one: fuzzqe train --sweep FILE --store STORE',
    });
  const path = `${store.name}/${sweepKey}`;
  const { digest, file, base, data } = schema.parseJson(recordSchema, found.text, {
    code: 'data',
    what: 'sweep of a store',
    path,
  });
  const sweep = createSweep(file, parseTrainingConfig(base, presets.countries.training, path), data, path);
  if (sweep.digest === digest) return sweep;
  throw new FuzzError('data', 'the sweep of the store has another digest than it says', {
    path,
    hint: 'It was altered, or another version of this program began it.',
  });
}

/** JSON with the keys of objects in their order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
