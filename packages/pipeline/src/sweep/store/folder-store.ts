import { randomUUID } from 'node:crypto';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import {
  copyFileWhole,
  createFile,
  makeFolder,
  pathExists,
  readWholeFile,
  temporaryName,
  writeFileWhole,
} from '@fuzzqe/files';
import { keyPattern, type SweepStore } from './sweep-store.ts';

/** A store in a folder, which machines may share: exclusive files there have to be exclusive for all (NFS from version 3 on, Lustre). */
export function folderStore(folder: string): SweepStore {
  const root = resolve(folder);
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
      return { text, age: Math.max(0, ((await clockOf(root)) - found.mtimeMs) / 1000) };
    },
    async create(key, text) {
      return createFile(await writable(key), text);
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
      return keys.sort();
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
      const probe = `probe-${randomUUID()}.json`;
      try {
        if ((await store.create(probe, '1')) && !(await store.create(probe, '2'))) return;
      } finally {
        await store.remove(probe);
      }
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
  return temporaryName.test(key) || /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key);
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

/** Milliseconds since 1970 by whoever keeps the folder: the times of files are not those of this machine where it is a network's. */
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
