import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FuzzError } from '@fuzzqe/core';
import { combinedFormatVersion, verifyBundle } from '@fuzzqe/core/bundle';
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
const copied = ['README.md', 'package.json', 'wrangler.jsonc', 'src'];
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
  const there = await readdir(target).catch(() => []);
  if (there.length > 0)
    throw new FuzzError('usage', `expected a new or an empty folder, got one with ${there.length} entries`, {
      path: folder,
      hint: 'Name another folder.',
    });
  const source = bundle === undefined ? undefined : await workersBundle(bundle);
  await mkdir(dirname(target), { recursive: true });
  const temporary = `${target}.new`;
  await rm(temporary, { recursive: true, force: true });
  try {
    for (const name of copied) await cp(join(template, name), join(temporary, name), { recursive: true });
    await writeFile(join(temporary, '.gitignore'), ignored);
    const name = basename(target)
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-');
    for (const file of ['package.json', 'wrangler.jsonc']) {
      const text = await readFile(join(temporary, file), 'utf8');
      await writeFile(join(temporary, file), text.replace('"name": "fuzzqe-worker"', `"name": "${name}"`));
    }
    if (source !== undefined) await cp(source, join(temporary, 'assets/bundle'), { recursive: true });
    await rm(target, { recursive: true, force: true });
    await rename(temporary, target);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  terminal.note(`Wrote ${folder}. Then: cd ${folder}, npm install, npx wrangler dev, npx wrangler deploy`);
  return bundle === undefined
    ? ['export', '…', '--data', '…', '--target', 'workers', '--out', join(folder, 'assets/bundle')]
    : ['parity', join(folder, 'assets/bundle'), '--runtimes', 'workerd'];
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
