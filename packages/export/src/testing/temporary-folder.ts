import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BundleSource } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { listFiles } from '../files/replace-folder.ts';

/** Runs something with a folder of its own, which is removed afterwards. */
export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-export-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A bundle in a folder, for tests: whole files in memory. Servers have `folderSource` of @fuzzqe/serve. */
export function readFolder(directory: string): BundleSource {
  return {
    location: directory,
    async read(path) {
      const bytes = await readFile(join(directory, path)).catch(() => undefined);
      if (bytes === undefined) throw new FuzzError('bundle', 'expected a file, got nothing', { path });
      return bytes;
    },
    // Files of the system, as servers pass over them.
    list: async () => (await listFiles(directory)).filter((path) => !path.startsWith('.')),
  };
}
