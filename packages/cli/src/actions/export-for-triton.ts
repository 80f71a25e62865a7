import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { bundlePaths } from '@fuzzqe/core/bundle';
import { writeTritonRepository } from '@fuzzqe/export';
import { expectWritable, pathExists } from '@fuzzqe/files';
import { bundleFolder, folderSource } from '@fuzzqe/serve';
import { formatBytes } from '../report/format-bytes.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type ExportFlags, exportModel } from './export.ts';
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
  const scratch = isBundle ? undefined : await mkdtemp(join(dirname(resolve(out)), '.fuzzqe-triton-'));
  try {
    const bundle = scratch === undefined ? given : join(scratch, 'bundle');
    if (scratch !== undefined) {
      const { bundleVersion: _, ...others } = flags;
      // Not where it was put meanwhile.
      const note = (line: string): void => {
        if (!line.startsWith('Wrote ')) terminal.note(line);
      };
      const quiet = { ...terminal, note, out: () => {} };
      await exportModel(quiet, from, { ...others, target: 'node', out: bundle });
    }
    const written = await interruptible(terminal, (signal) =>
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
      }),
    );
    if (flags.json) terminal.out(JSON.stringify(written));
    else
      terminal.note(
        `Wrote ${out}: ${written.models.length} models in ${written.files} files, ${formatBytes(written.bytes)}; tritonserver --model-repository ${out}`,
      );
  } finally {
    if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
  }
}
