import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { bundlePaths, bundleVersionOf } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { wholeFolder } from '@fuzzqe/files';
import { folderPath } from '../folder-path.ts';
import { isHubAddress } from './hub-address.ts';
import { hubFolder } from './hub-folder.ts';
import type { HubSettings } from './hub-server.ts';

/** The file next to the versions of a model that has the number of the one to take: so a server goes back to a former one. */
const pointer = 'current';

/**
 * The folder of a bundle: that of an address `hf://…` in the cache, the given one, or of a folder that holds `1`, `2`, … and no bundle
 * itself the version whose number stands in its file `current`, without one the newest.
 *
 * Where an export was cut off while it replaced a bundle, the one before stands in for it.
 * A version without a manifest is one that is still being copied, and passed over. Where there is neither, the path
 * is given back as it is: reading it says what is wrong.
 * @throws FuzzError `usage`: what is no path. `bundle`: a version that does not exist, by its path or in `current`, or a repository without a name; both with what there is. What
 * `hubFolder` throws.
 * @example
 * const directory = await bundleFolder('bundles/mine'); // 'bundles/mine/2'
 */
export async function bundleFolder(path: string, hub: HubSettings = {}): Promise<string> {
  // Refuses what is no path; one that is stays as it was given.
  folderPath(path);
  if (isHubAddress(path)) return hubFolder(path, hub);
  const whole = await wholeFolder(path);
  if (await isBundle(whole)) return whole;
  const versions = await versionsIn(path);
  const newest = versions.at(-1);
  if (newest !== undefined) return join(path, `${(await currentOf(path, versions)) ?? newest}`);
  const folder = resolve(path);
  if (bundleVersionOf(basename(folder)) !== undefined) {
    const present = await versionsIn(dirname(folder));
    if (present.length > 0)
      throw new FuzzError(
        'bundle',
        `expected a version out of ${present.join(', ')}, got ${basename(folder)}`,
        {
          path: dirname(folder),
          hint: 'Give one of these, or the folder above them for the newest.',
        },
      );
  }
  const models = await namesIn(folder);
  if (models.length > 0)
    throw new FuzzError('bundle', 'expected a bundle, got a repository of bundles', {
      path: folder,
      hint: `Give the folder of one: ${models.map((name) => join(path, name)).join(', ')}.`,
    });
  return path;
}

async function isBundle(folder: string): Promise<boolean> {
  return (await stat(join(folder, bundlePaths.manifest)).catch(() => undefined))?.isFile() === true;
}

/** The versions of a model, in order. */
async function versionsIn(folder: string): Promise<number[]> {
  const versions: number[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const version = bundleVersionOf(name);
    if (version !== undefined && (await isBundle(join(folder, name)))) versions.push(version);
  }
  return versions.sort((a, b) => a - b);
}

/**
 * The version that the file `current` names; undefined where there is none.
 *
 * @throws FuzzError `bundle`, it names no version.
 */
async function currentOf(folder: string, versions: readonly number[]): Promise<number | undefined> {
  const path = join(folder, pointer);
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw new FuzzError('bundle', `expected a file with the number of a version, got ${cause.code}`, {
      path,
      cause,
    });
  });
  if (text === undefined) return undefined;
  const version = bundleVersionOf(text.trim());
  if (version !== undefined && versions.includes(version)) return version;
  throw new FuzzError(
    'bundle',
    `expected a version out of ${versions.join(', ')}, got ${JSON.stringify(text.trim().slice(0, 100))}`,
    { path, hint: 'Write one of these into it, or remove it for the newest.' },
  );
}

/** The folders of a repository that have a version. */
async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of await readdir(folder).catch(() => []))
    if (!name.startsWith('.') && (await versionsIn(join(folder, name))).length > 0) names.push(name);
  return names.sort();
}
