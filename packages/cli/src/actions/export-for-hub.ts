import { dirname, join, resolve } from 'node:path';
import { bundlePaths, readManifest, signaturePath } from '@fuzzqe/bundle';
import { writeHubBundle } from '@fuzzqe/export';
import { expectWritable, pathExists } from '@fuzzqe/files';
import { bundleFolder, folderSource } from '@fuzzqe/serve';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type BundleFlags, describeExport, exportModel, inOutput } from './export.ts';
import { refuseSettled, settledByBundle } from './settled-by-bundle.ts';

/** Does `fuzzqe export --target hf`, of a run or of a bundle, of which only the card becomes another; `isGiven` tells flags from defaults. */
export async function exportForHub(
  terminal: Terminal,
  from: string,
  flags: BundleFlags,
  isGiven: (flag: keyof BundleFlags) => boolean,
): Promise<NextCommand> {
  const bundle = await bundleFolder(from, { onNote: terminal.note });
  if (!(await pathExists(join(bundle, bundlePaths.manifest)))) return exportModel(terminal, from, flags);
  refuseSettled(flags, ['profile', 'answers', 'maxBatch', ...settledByBundle], isGiven);
  const place = flags.out ?? flags.repository;
  if (place !== undefined) await expectWritable(dirname(resolve(place)));
  const source = folderSource(bundle);
  const name = flags.name ?? (await readManifest(source)).name;
  const written = await interruptible(terminal, (signal) =>
    inOutput(flags, name, async (directory) => {
      const manifest = await writeHubBundle({
        source,
        bundle,
        directory,
        name,
        signal,
      });
      return { directory, manifest };
    }),
  );
  if (flags.json) terminal.out(JSON.stringify(written.manifest));
  else describeExport(written.directory, written.manifest).forEach(terminal.note);
  if (await pathExists(join(bundle, signaturePath)))
    terminal.note(`The signature of ${from} is of the bundle as it was: sign ${written.directory} again`);
  return ['parity', written.directory];
}
