import { dirname, resolve } from 'node:path';
import type { Manifest } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { readDataset } from '@fuzzqe/data';
import {
  checkProfiles,
  type DestinationName,
  defaultProfile,
  inVersionFolder,
  type TargetName,
  type TrainedFacts,
} from '@fuzzqe/export';
import { expectWritable } from '@fuzzqe/files';
import { exportRun, exportStageLabels, openCalibration, readCardMetrics } from '@fuzzqe/pipeline';
import { readRunState } from '@fuzzqe/train';
import { formatCalibration } from '../evaluation/format-calibration.ts';
import type { profileNames } from '../options/choices.ts';
import { describeFolder } from '../report/describe-folder.ts';
import { describeWorkerBundle } from '../report/describe-worker-bundle.ts';
import { formatBytes } from '../report/format-bytes.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createNamedProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { queriesThere } from './data/query-files.ts';

/** What `fuzzqe export` was told. */
export interface ExportFlags {
  readonly data?: string;
  readonly out?: string;
  readonly repository?: string;
  readonly bundleVersion?: number;
  readonly name?: string;
  readonly target: DestinationName;
  readonly profile?: typeof profileNames;
  readonly facts?: 'train' | 'all';
  readonly maxBytes?: number;
  readonly queries?: number;
  readonly quick?: boolean;
  readonly seed: number;
  readonly threads: number;
  readonly answers?: number;
  readonly maxBatch?: number;
  readonly json?: boolean;
}

/** What it was told where it writes a bundle. */
export type BundleFlags = Omit<ExportFlags, 'target'> & { readonly target: TargetName };

/** A run whose data set is read, and which can become a bundle. */
export interface PreparedExport {
  /** What the bundle is called. */
  readonly name: string;
  /** @throws FuzzError `interrupted`, and what exporting throws. */
  write(directory: string, signal: AbortSignal): Promise<Manifest>;
}

/** Does `fuzzqe export`. */
export async function exportModel(terminal: Terminal, run: string, flags: BundleFlags): Promise<NextCommand> {
  const { target } = flags;
  for (const flag of ['answers', 'maxBatch'] as const)
    if (flags[flag] !== undefined)
      throw new FuzzError('usage', `target ${target}: expected none, got ${flags[flag]}`, {
        path: flag,
        hint: 'A bundle leaves this to whoever asks; only a repository for Triton has it fixed.',
      });
  const { name, write } = await prepareExport(terminal, run, flags);
  const { directory, manifest } = await interruptible(terminal, (signal) =>
    inOutput(flags, name, async (directory) => ({ directory, manifest: await write(directory, signal) })),
  );
  if (flags.json) terminal.out(JSON.stringify(manifest));
  else {
    describeExport(directory, manifest).forEach(terminal.note);
    if (target === 'workers') describeWorkerBundle(manifest).forEach(terminal.note);
  }
  return target === 'workers' ? ['new', 'worker', '…', '--bundle', directory] : ['parity', directory];
}

/** Checks what can be told of an export at once, and reads its data set. */
export async function prepareExport(
  terminal: Terminal,
  run: string,
  flags: BundleFlags,
): Promise<PreparedExport> {
  const { data, target } = flags;
  if (data === undefined)
    throw new FuzzError('usage', 'expected --data, the data set that the run was trained on, got none', {
      hint: 'Give --data FOLDER. Only --target hf and --target triton take a bundle, which needs none.',
    });
  // Before a calibration is fitted, which may take minutes.
  const { model } = await readRunState(run);
  checkProfiles(model, flags.profile ?? [defaultProfile(model, target)]);
  const place = flags.out ?? flags.repository;
  // Next to a bundle that is there, since a bundle's folder holds nothing else.
  if (place !== undefined) await expectWritable(dirname(resolve(place)));
  const dataset = await readDataset(data);
  const valid = await queriesThere(data, dataset, 'valid');
  const name = flags.name ?? dataset.name;
  return {
    name,
    async write(directory, signal) {
      const show = createNamedProgress(terminal);
      const { train } = dataset.graphs();
      const calibration = await openCalibration({
        run,
        dataset,
        threads: flags.threads,
        quick: flags.quick,
        onProgress: show,
        signal,
      });
      terminal.status('');
      for (const line of formatCalibration(calibration, terminal.columns)) terminal.note(line);
      return exportRun({
        run,
        dataset,
        graph: train,
        valid,
        calibration,
        directory,
        name,
        metrics: await readCardMetrics(run),
        seed: flags.seed,
        target,
        ...(flags.profile === undefined ? {} : { profiles: flags.profile }),
        measured: flags.quick === true ? 0 : flags.queries,
        ...(flags.facts === undefined ? {} : { facts: flags.facts }),
        ...(flags.maxBytes === undefined ? {} : { maxBytes: flags.maxBytes }),
        signal,
        onProgress: ({ stage, done, total }) => show(...exportStageLabels[stage], done, total),
      });
    },
  };
}

/**
 * Does the work in the folder that the flags name.
 *
 * @throws FuzzError `usage`: they name none, or two.
 */
export function inOutput<T>(
  { out, repository, bundleVersion: version }: Pick<ExportFlags, 'out' | 'repository' | 'bundleVersion'>,
  name: string,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  if (repository !== undefined && out === undefined)
    return inVersionFolder({ repository, name, ...(version === undefined ? {} : { version }) }, work);
  if (out !== undefined && repository === undefined && version === undefined) return work(out);
  throw new FuzzError('usage', 'expected --out, or --repository with or without --bundle-version', {
    hint: 'Give --out FOLDER, or --repository FOLDER for a new version in FOLDER/<name>.',
  });
}

/** Which facts a bundle records, and whether its model has seen them. */
export function describeFacts({
  training,
  data,
  modes,
}: Pick<Manifest, 'training' | 'data' | 'modes'>): string {
  if (modes?.includes('sets') === false) return 'Recorded: no facts, so that the bundle fits where it runs';
  // Written by the exporter, where more is recorded than was trained on.
  const facts = training['facts'] as TrainedFacts | undefined;
  if (facts === undefined) return `Recorded: the ${data.edges / 2} facts that the model was trained on`;
  const { recorded, recordedParts, trained, trainedParts } = facts;
  if (trainedParts.length === recordedParts.length)
    return `Recorded: all ${recorded} facts (${recordedParts.join(', ')}), on which the model was trained once more; figures are of the run that had learned from ${recordedParts[0]!} alone`;
  return `Recorded: all ${recorded} facts (${recordedParts.join(', ')}); the model was trained on ${trained} of them, and figures are of the time when the others were held out (--facts train leaves those out)`;
}

/** What was written, and a line for each profile next to fp32. */
export function describeExport(directory: string, manifest: Manifest): string[] {
  const { profiles } = manifest;
  return [
    `Wrote ${directory}: ${describeFolder(directory)}`,
    describeFacts(manifest),
    ...Object.entries(profiles).map(([name, { bytes: own, quality }]) => {
      if ('reason' in quality) return `  ${name}: ${formatBytes(own)}`;
      const { embedding, sets } = quality;
      const changes = [embedding, sets].map(({ mrrChange, overlap10 }) => {
        return `MRR changes by ${(100 * mrrChange).toFixed(2)} points, overlap@10 is ${overlap10.toFixed(4)}`;
      });
      return `  ${name}: ${formatBytes(own)}; on ${embedding.queries} validation queries by embeddings ${changes[0]}; on ${sets.queries} by sets ${changes[1]}`;
    }),
  ];
}
