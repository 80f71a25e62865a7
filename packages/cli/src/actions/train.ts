import { basename, join, resolve } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { countQueries, hasHeldOutFacts, readDataset, readQueryPart } from '@fuzzqe/data';
import { expectWritable } from '@fuzzqe/files';
import { validatedQueries } from '@fuzzqe/pipeline';
import { fitBatch, isLinksAlone, minutesFor, type TrainingConfig } from '@fuzzqe/train';
import type { trainingDevices } from '../options/choices.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { validationQueries } from './data/query-files.ts';
import { describeSeeds, trainSeeds } from './train-seeds.ts';
import { refitWithProgress, trainWithProgress } from './train-with-progress.ts';
import { configOfRun, trainingConfig } from './training-config.ts';
import { trainingDevice } from './training-device.ts';

/** What `fuzzqe train` was told. */
export interface TrainFlags {
  readonly out: string;
  readonly config?: string;
  readonly steps?: number;
  readonly minutes?: number;
  readonly seed?: number;
  readonly seeds?: readonly number[];
  readonly threads: number;
  readonly device: (typeof trainingDevices)[number];
  readonly tf32?: boolean;
  readonly checkpointMinutes: number;
  readonly resume?: boolean;
  readonly refit?: boolean;
  readonly json?: boolean;
}

/** Does `fuzzqe train`. */
export async function trainModel(terminal: Terminal, data: string, flags: TrainFlags): Promise<NextCommand> {
  const begun = performance.now();
  await expectWritable(flags.out);
  const dataset = await readDataset(data);
  const given = (await earlierConfig(flags)) ?? (await trainingConfig(flags.config, dataset));
  const read = await validationQueries(terminal, data, dataset);
  const queries = {
    train: isLinksAlone(given)
      ? []
      : (await readQueryPart(data, dataset, 'train')).filter(({ structure }) => structure !== '1p'),
    valid: validatedQueries(read),
  };
  const unranked = countQueries(read) - countQueries(queries.valid);
  if (unranked > 0)
    terminal.note(`${unranked} validation queries have no hard answers: nothing is validated by them.`);
  const asked = { ...given, steps: flags.steps ?? given.steps, seed: flags.seed ?? given.seed };
  const { config, missing } = fitBatch(asked, queries.train);
  if (missing.length > 0)
    terminal.note(`There are no training queries of ${missing.join(', ')}: batches go without.`);
  const isValidated = queries.valid.length > 0;
  if (flags.seeds !== undefined && !isValidated)
    throw new FuzzError(
      'usage',
      'seeds are compared by their validation, and no validation facts are held out',
      {
        path: data,
        hint: 'Train one (--seed), or import with --hold-out 0.1.',
      },
    );
  const { threads, tf32 = false } = flags;
  const minutes = minutesFor(config, flags);
  const task = {
    dataset,
    config,
    queries,
    ...(await trainingDevice(terminal, flags.device, { threads, tf32 })),
    directory: flags.out,
    threads,
    resume: flags.resume ?? false,
    reopen: flags.steps !== undefined || flags.minutes !== undefined,
    // Reading is part of the time.
    minutes:
      minutes === undefined ? undefined : Math.max(1e-3, minutes - (performance.now() - begun) / 60_000),
    checkpointMinutes: flags.checkpointMinutes,
  };
  const { seeds } = flags;
  const next = hasHeldOutFacts(dataset, 'test')
    ? ['evaluate', flags.out, '--data', data]
    : ['export', flags.out, '--data', data, '--out', join('bundles', basename(resolve(flags.out)))];
  if (seeds !== undefined) {
    const result = await interruptible(terminal, (signal) =>
      trainSeeds(terminal, { ...task, signal }, seeds),
    );
    if (flags.json) terminal.out(JSON.stringify(result));
    else if (result.runs.length > 0) describeSeeds(result).forEach(terminal.out);
    if (result.ended !== 'interrupted') return next;
    process.exitCode = 130;
    return resumption(data, flags);
  }
  const result = await interruptible(terminal, (signal) => trainWithProgress(terminal, { ...task, signal }));
  if (flags.json) {
    const { best } = result.state;
    terminal.out(JSON.stringify({ ended: result.ended, step: result.step, best }));
  }
  if (result.ended !== 'interrupted' && flags.refit === true) {
    const { config: _, ...again } = task;
    const refit = await interruptible(terminal, (signal) =>
      refitWithProgress(terminal, { ...again, signal }),
    );
    if (refit.ended !== 'interrupted') return next;
  } else if (result.ended !== 'interrupted') return next;
  process.exitCode = 130;
  return resumption(data, flags);
}

/** The configuration of the run that is to go on, where none is named; undefined where there is no such run. */
async function earlierConfig({
  out,
  resume,
  config,
  seeds,
}: TrainFlags): Promise<TrainingConfig | undefined> {
  if (resume !== true || config !== undefined || seeds !== undefined) return undefined;
  // That there is none to resume, training says itself.
  return configOfRun(out);
}

/** The command that goes on where this one was stopped. */
function resumption(data: string, flags: TrainFlags): NextCommand {
  const { out, config, steps, minutes, seed, seeds, device, tf32, refit } = flags;
  return [
    ...['train', data, '--out', out, '--resume'],
    ...(config === undefined ? [] : ['--config', config]),
    ...(steps === undefined ? [] : ['--steps', `${steps}`]),
    ...(minutes === undefined ? [] : ['--minutes', `${minutes}`]),
    ...(seed === undefined ? [] : ['--seed', `${seed}`]),
    ...(seeds === undefined ? [] : ['--seeds', seeds.join(',')]),
    ...(device === 'cpu' ? [] : ['--device', device]),
    ...(tf32 === true ? ['--tf32'] : []),
    ...(refit === true ? ['--refit'] : []),
  ];
}
