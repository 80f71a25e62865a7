import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FuzzError, storageError, systemErrorCode } from '@fuzzqe/core';
import { combinedFormatVersion, verifyBundle } from '@fuzzqe/core/bundle';
import { copyNew, onDisk, writeFolderWhole, writeNewFile } from '@fuzzqe/files';
import { bundleFolder, folderSource } from '@fuzzqe/serve';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe new worker` was told. */
export interface NewFlags {
  /** A bundle that is copied. */
  readonly bundle?: string;
}

/** The example, which the build copies beside itself. */
const template = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../../../examples/worker' : '../template/worker',
    import.meta.url,
  ),
);
const copied = ['README.md', 'src'];
/** Files that hold the name of the example, which becomes the project's. */
const named = ['package.json', 'wrangler.jsonc'];
/** npm takes no file of this name into a package. */
const ignored = 'node_modules\n.wrangler\n';

/**
 * Does `fuzzqe new worker`: all of it is there, or nothing.
 *
 * @throws FuzzError `usage`: the folder has something in it, or the bundle is none for Workers. `bundle`: it is damaged.
 */
export async function newWorker(
  terminal: Terminal,
  folder: string,
  { bundle }: NewFlags,
): Promise<NextCommand> {
  const target = resolve(folder);
  await expectEmpty(target, folder);
  const source = bundle === undefined ? undefined : await workersBundle(bundle);
  const fill = async (temporary: string): Promise<void> => {
    for (const name of copied) await copyNew(join(template, name), join(temporary, name));
    await writeNewFile(join(temporary, '.gitignore'), ignored);
    const name = workerName(basename(target));
    for (const file of named) {
      const text = await readFile(join(template, file), 'utf8');
      await writeNewFile(join(temporary, file), text.replace('"name": "fuzzqe-worker"', `"name": "${name}"`));
    }
    if (source !== undefined) await copyNew(source, join(temporary, 'assets/bundle'));
  };
  await onDisk('project', target, () =>
    writeFolderWhole({ path: target, expectReplaceable: () => expectEmpty(target, folder) }, fill),
  );
  terminal.note(`Wrote ${folder}. Then: cd ${folder}, npm install, npx wrangler dev, npx wrangler deploy`);
  return bundle === undefined
    ? ['export', '…', '--data', '…', '--target', 'workers', '--out', join(folder, 'assets/bundle')]
    : ['parity', join(folder, 'assets/bundle'), '--runtimes', 'workerd'];
}

/** Throws: `usage` where something stands at the path that is no empty folder. */
async function expectEmpty(target: string, path: string): Promise<void> {
  const found = await readdir(target).catch((cause: unknown): string[] => {
    const code = systemErrorCode(cause);
    if (code === 'ENOENT') return [];
    if (code !== 'ENOTDIR')
      throw storageError('cannot read the folder', target, cause, 'nothing was written');
    throw new FuzzError('usage', 'expected a new or an empty folder, got a file', {
      path,
      hint: 'Name another folder; the file is left as it is.',
      cause,
    });
  });
  if (found.length === 0) return;
  throw new FuzzError('usage', `expected a new or an empty folder, got one with ${found.length} entries`, {
    path,
    hint: 'Name another folder.',
  });
}

/** A name that npm and Cloudflare take: letters of ASCII, digits and dashes between them, at most 63. */
function workerName(folder: string): string {
  const plain = folder.normalize('NFKD').replace(/\p{M}+/gu, '');
  const words = plain.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return words.replace(/^-/, '').slice(0, 63).replace(/-$/, '') || 'fuzzqe-worker';
}

/** The folder of a bundle that Workers can open and that is whole. */
async function workersBundle(bundle: string): Promise<string> {
  const directory = await bundleFolder(bundle);
  const { version } = await verifyBundle(folderSource(directory));
  if (version === combinedFormatVersion) return directory;
  throw new FuzzError('usage', `expected a bundle for Workers, got one of format ${version}, for servers`, {
    path: bundle,
    hint: 'Export the run again with `--target workers`.',
  });
}
