import { FuzzError } from '@fuzzqe/core';
import { hasHeldOutFacts, hashDataset, queryFileOf, readDataset, readQueryPart } from '@fuzzqe/data';
import { expectWritable, hashFile, pathExists } from '@fuzzqe/files';
import {
  createSweep,
  openStore,
  readSweepFile,
  runSweep,
  type SweepData,
  type TrialEnd,
} from '@fuzzqe/sweep';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { TrainFlags } from './train.ts';
import { createTrainingProgress } from './train-with-progress.ts';
import { trainingConfig } from './training-config.ts';
import { trainingDevice } from './training-device.ts';

/** What `fuzzqe train --sweep` was told. */
export interface SweepFlags
  extends Pick<TrainFlags, 'threads' | 'device' | 'tf32' | 'checkpointMinutes' | 'json'> {
  readonly out?: string;
  readonly sweep?: string;
  readonly store?: string;
  readonly trial?: number;
  readonly maxTrials?: number;
  readonly wait?: boolean;
  readonly lease?: number;
}

/** Does `fuzzqe train --sweep`. */
export async function trainSweep(
  terminal: Terminal,
  given: string | undefined,
  flags: SweepFlags & { readonly sweep: string },
): Promise<NextCommand> {
  const { sweep: file, store: place } = flags;
  if (place === undefined)
    throw new FuzzError('usage', '--store: expected where the processes of the sweep meet, got nothing', {
      hint: 'A folder that all of them see, or s3://bucket/prefix.',
    });
  const store = openStore(place);
  const asked = await readSweepFile(file);
  const data = given ?? asked.data;
  if (data === undefined)
    throw new FuzzError('usage', 'the sweep names no data set', {
      path: file,
      hint: 'Add "data": "FOLDER", or name it: fuzzqe train DATA --sweep FILE',
    });
  if (flags.out !== undefined) await expectWritable(flags.out);
  const dataset = await readDataset(data);
  const base = await trainingConfig(asked.config, dataset);
  if (!hasHeldOutFacts(dataset, 'valid') || !(await pathExists(queryFileOf(data, 'valid'))))
    throw new FuzzError(
      'usage',
      'trials are compared by their validation, and there are no validation queries',
      {
        path: data,
        hint: 'Draw them (fuzzqe data sample), from facts that are held out (fuzzqe data import --hold-out 0.1).',
      },
    );
  const sweep = createSweep(asked, base, await identify(data, dataset.name, hashDataset(dataset)), file);
  const train = (await pathExists(queryFileOf(data, 'train')))
    ? await readQueryPart(data, dataset, 'train')
    : [];
  const valid = await readQueryPart(data, dataset, 'valid');
  const { metric } = sweep.file.objective;
  if (metric !== 'mrr' && !valid.some(({ structure, count }) => structure === metric && count > 0))
    throw new FuzzError('config', `objective.metric: there are no validation queries of ${metric}`, {
      path: file,
      hint: `There are some of ${valid.map(({ structure }) => structure).join(', ')}.`,
    });
  const { threads, tf32 = false, checkpointMinutes } = flags;
  const device = await trainingDevice(terminal, flags.device, { threads, tf32 });
  let progress: ReturnType<typeof createTrainingProgress> | undefined;
  const work = await interruptible(terminal, (signal) =>
    runSweep({
      ...{ store, sweep, dataset, threads, checkpointMinutes, signal, ...device },
      queries: { train: train.filter(({ structure }) => structure !== '1p'), valid },
      ...(flags.out === undefined ? {} : { folder: flags.out }),
      ...(flags.trial === undefined ? {} : { trial: flags.trial }),
      ...(flags.maxTrials === undefined ? {} : { most: flags.maxTrials }),
      ...(flags.lease === undefined ? {} : { lease: flags.lease }),
      wait: flags.wait ?? false,
      onTrial(trial, parameters, claim) {
        const taken = claim === 1 ? '' : ', taken over';
        terminal.note(`Trial ${trial} of ${sweep.trials}${taken}: ${JSON.stringify(parameters)}`);
        progress = createTrainingProgress(
          terminal,
          (steps) => `"budget": { "steps": ${steps} } in the file of the sweep`,
        );
      },
      onTrialError: (trial, cause) =>
        terminal.note(
          `Trial ${trial} cannot be run here and is left to others: ${cause instanceof Error ? cause.message : String(cause)}`,
        ),
      onTrialEnd: (trial, end) => terminal.note(describeEnd(trial, end)),
      onWaiting: (running) => terminal.note(`Waiting: ${running} of the trials run elsewhere`),
      observer: {
        onStep: (at) => progress?.onStep(at),
        onValidation: (at) => progress?.onValidation(at),
      },
    }),
  );
  if (flags.json)
    terminal.out(
      JSON.stringify({
        ended: work.ended,
        running: work.running,
        trials: work.trials.flatMap((end) => (end.kind === 'ended' ? [end.result] : [])),
      }),
    );
  else if (work.trials.length === 0 && work.ended === 'done')
    terminal.note(
      work.running > 0
        ? `Nothing to do here: ${work.running} trials run elsewhere, the others have ended`
        : flags.trial === undefined
          ? 'Nothing to do here: all trials have ended'
          : `Nothing to do here: trial ${flags.trial} has ended`,
    );
  if (work.ended === 'interrupted') process.exitCode = 130;
  return work.ended === 'interrupted'
    ? ['train', data, '--sweep', file, '--store', place]
    : ['sweep', 'status', place];
}

async function identify(folder: string, name: string, sha256: string): Promise<SweepData> {
  const queries: Record<string, string> = {};
  for (const part of ['train', 'valid'] as const) {
    const path = queryFileOf(folder, part);
    if (await pathExists(path)) queries[part] = await hashFile(path);
  }
  return { name, sha256, queries };
}

function describeEnd(trial: number, end: TrialEnd): string {
  if (end.kind === 'lost') return `Trial ${trial} was taken over by another process`;
  if (end.kind === 'interrupted')
    return `Trial ${trial} stopped at step ${end.step}; its checkpoint is in the store, and any process goes on with it`;
  const { outcome, best, steps, error } = end.result;
  const reached = best === undefined ? '' : `, best ${(100 * best.value).toFixed(2)} % at step ${best.step}`;
  return `Trial ${trial} ${outcome} at step ${steps}${reached}${error === undefined ? '' : `: ${error}`}`;
}
