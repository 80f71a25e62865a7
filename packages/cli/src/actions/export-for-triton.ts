import { dirname, join, resolve } from 'node:path';
import { bundlePaths } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { type TritonRepository, writeTritonRepository } from '@fuzzqe/export';
import { expectWritable, inScratchFolder, pathExists } from '@fuzzqe/files';
import { bundleFolder, folderSource } from '@fuzzqe/serve';
import { formatBytes } from '../report/format-bytes.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeExport, type ExportFlags, prepareExport } from './export.ts';
import { refuseSettled, settledByBundle } from './settled-by-bundle.ts';

/**
 * Does `fuzzqe export --target triton`, of a bundle or of a run, which becomes a bundle in a folder that is removed afterwards;
 * `isGiven` tells flags from defaults.
 */
export async function exportForTriton(
  terminal: Terminal,
  from: string,
  flags: ExportFlags,
  isGiven: (flag: keyof ExportFlags) => boolean,
): Promise<void> {
  const { out, repository, name, profile, bundleVersion: version, answers: k, maxBatch } = flags;
  if (out === undefined || repository !== undefined)
    throw new FuzzError('usage', 'expected --out, and no --repository', {
      hint: 'Give --out FOLDER, a new or empty folder for the models; --bundle-version is the version of each.',
    });
  if (profile !== undefined && profile.length > 1)
    throw new FuzzError('usage', `expected one profile, got ${profile.join(', ')}`, {
      path: 'profile',
      hint: 'Write a repository for each, under names of their own.',
    });
  await expectWritable(dirname(resolve(out)));
  const given = await bundleFolder(from, { onNote: terminal.note });
  const isBundle = await pathExists(join(given, bundlePaths.manifest));
  if (isBundle) refuseSettled(flags, settledByBundle, isGiven);
  const writeModels = (bundle: string, signal: AbortSignal): Promise<TritonRepository> =>
    writeTritonRepository({
      source: folderSource(bundle),
      bundle,
      directory: out,
      ...(name === undefined ? {} : { name }),
      ...(profile === undefined ? {} : { profile: profile[0]! }),
      ...(version === undefined ? {} : { version }),
      ...(k === undefined ? {} : { k }),
      ...(maxBatch === undefined ? {} : { maxBatch }),
      signal,
    });
  const prepared = isBundle ? undefined : await prepareExport(terminal, from, { ...flags, target: 'node' });
  // Around the folder as well: a signal that nobody hears ends the process, and the folder would stay.
  const written = await interruptible(terminal, (signal) =>
    prepared === undefined
      ? writeModels(given, signal)
      : inScratchFolder(out, async (scratch) => {
          const bundle = join(scratch, 'bundle');
          const manifest = await prepared.write(bundle, signal);
          // Not where it is put meanwhile.
          if (!flags.json) describeExport(bundle, manifest).slice(1).forEach(terminal.note);
          return writeModels(bundle, signal);
        }),
  );
  if (flags.json) terminal.out(JSON.stringify(written));
  else
    terminal.note(
      `Wrote ${out}: ${written.models.length} models in ${written.files} files, ${formatBytes(written.bytes)}; tritonserver --model-repository ${out}`,
    );
}
