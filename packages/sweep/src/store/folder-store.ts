import { randomUUID } from 'node:crypto';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import {
  copyFileWhole,
  createFile,
  hasHardLinks,
  makeFolder,
  pathExists,
  readWholeFile,
  temporaryName,
  unfinishedName,
  writeFileWhole,
} from '@fuzzqe/files';
import { makesOnce } from './makes-once.ts';
import { keyPattern, type SweepStore } from './sweep-store.ts';
import { isClaimKey } from './trial-keys.ts';

/**
 * A store in a folder, which machines may share: exclusive files there have to be exclusive for all (NFS from version 3 on, Lustre).
 *
 * Where there are no hard links, an empty file has a key until its text is there, and keeps it where its process was killed meanwhile. It
 * counts as none, and `create` replaces it a minute later; an empty claim counts as one that says nothing, which the lease frees, because
 * two processes could both be told that they made what is replaced.
 *
 * @example
 * const store = folderStore('sweeps/mine');
 */
export function folderStore(folder: string): SweepStore {
  const root = resolve(folder);
  let linked: Promise<boolean> | undefined;
  const pathOf = (key: string): string => {
    if (!keyPattern.test(key)) throw new FuzzError('usage', `no key of a store: ${key}`, { path: folder });
    return join(root, ...key.split('/'));
  };
  const writable = async (key: string): Promise<string> => {
    const path = pathOf(key);
    await makeFolder(dirname(path));
    return path;
  };
  const store: SweepStore = {
    name: folder,
    async read(key) {
      const path = pathOf(key);
      const found = await stat(path).catch(absent);
      if (found === undefined) return undefined;
      // It may be gone meanwhile, which is as good as never there.
      if (!(await pathExists(path))) return undefined;
      const text = (await readWholeFile(path)).toString('utf8');
      if (text === '' && !isClaimKey(key)) return undefined;
      return { text, age: Math.max(0, ((await clockOf(root)) - found.mtimeMs) / 1000) };
    },
    async create(key, text) {
      return createFile(await writable(key), text, { replacesEmpty: !isClaimKey(key) });
    },
    async write(key, text) {
      await writeFileWhole(await writable(key), text);
    },
    async list(prefix) {
      const keys: string[] = [];
      // No key is below another folder than the one that the prefix names.
      const below = join(root, ...prefix.split('/').slice(0, -1));
      for (const path of await filesBelow(below)) {
        const key = relative(root, path).split(sep).join('/');
        if (key.startsWith(prefix) && keyPattern.test(key) && !isUnfinished(key)) keys.push(key);
      }
      if (keys.length === 0) return keys;
      linked ??= hasHardLinks(root);
      return ((await linked) ? keys : await withText(keys, pathOf)).sort();
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
    async upload(key, path) {
      await copyFileWhole(path, await writable(key));
    },
    async download(key, path) {
      const source = pathOf(key);
      if (!(await pathExists(source))) return false;
      await copyFileWhole(source, path);
      return true;
    },
    async expectExclusive() {
      await makeFolder(root);
      if (await makesOnce(store)) return;
      throw new FuzzError(
        'runtime',
        'the folder makes over a file that is there, so that trials cannot be claimed in it',
        {
          path: folder,
          hint: 'Take a folder whose exclusive files are exclusive (local disks, NFS from version 3 on, Lustre), or an S3-compatible server.',
        },
      );
    },
  };
  return store;
}

/** Names that files have until they are whole. */
function isUnfinished(key: string): boolean {
  return temporaryName.test(key) || unfinishedName.test(key);
}

/** How many files are looked at at once. */
const atOnce = 64;

/** The keys whose texts are there, and all claims. */
async function withText(keys: readonly string[], pathOf: (key: string) => string): Promise<string[]> {
  const there: string[] = [];
  for (let from = 0; from < keys.length; from += atOnce) {
    const some = keys.slice(from, from + atOnce);
    // Files next to texts may be empty.
    const sizes = await Promise.all(
      some.map((key) =>
        key.endsWith('.json') && !isClaimKey(key) ? stat(pathOf(key)).catch(absent) : undefined,
      ),
    );
    there.push(...some.filter((_, i) => sizes[i]?.size !== 0));
  }
  return there;
}

async function filesBelow(folder: string): Promise<string[]> {
  const files: string[] = [];
  // A folder may be made or removed while this reads.
  for (const entry of (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await filesBelow(path)));
    else if (entry.isFile()) files.push(path);
  }
  return files;
}

function absent(cause: NodeJS.ErrnoException): undefined {
  if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
  throw new FuzzError('storage', `the store cannot be read (${cause.code ?? cause.message})`, {
    ...(cause.path === undefined ? {} : { path: cause.path }),
    hint: 'Check the folder and its permissions.',
    cause,
  });
}

/** Milliseconds since 1970 by anyone who keeps the folder: the times of files are not those of this machine where it is a network's. */
async function clockOf(root: string): Promise<number> {
  const path = join(root, `.clock-${randomUUID()}`);
  try {
    const file = await open(path, 'wx');
    try {
      return (await file.stat()).mtimeMs;
    } finally {
      await file.close();
      await rm(path, { force: true });
    }
  } catch {
    // One may look at a sweep without the right to write there.
    return Date.now();
  }
}
