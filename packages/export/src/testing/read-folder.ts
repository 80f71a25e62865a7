import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import type { BundleSource } from '@fuzzqe/core/bundle';
import { listFiles } from '../files/list-files.ts';

/** A bundle in a folder, for tests: whole files in memory. Servers have `folderSource` of @fuzzqe/serve. */
export function readFolder(directory: string): BundleSource {
  return {
    location: directory,
    async read(path) {
      const bytes = await readFile(join(directory, path)).catch(() => undefined);
      if (bytes === undefined) throw new FuzzError('bundle', 'expected a file, got nothing', { path });
      return bytes;
    },
    list: () => listFiles(directory),
  };
}
