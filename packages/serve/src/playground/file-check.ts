import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileEntry } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { folderSource, locate } from '../bundle-source.ts';

/** @throws FuzzError `bundle`: a file of a bundle is not what the manifest says. */
export type FileCheck = (folder: string, path: string, expected: FileEntry) => Promise<void>;

/**
 * Compares files with their digests before they are passed on under them: each once, and again where the system says that it was written
 * since, so that a file costs its reading once.
 */
export function createFileCheck(): FileCheck {
  const checked = new Map<string, { readonly state: string; readonly end: Promise<void> }>();
  return async (folder, path, expected) => {
    const file = locate(folder, path);
    const found = await stat(file).catch(() => undefined);
    // The time of the change of a file is not to be set, as that of its content is.
    const state = [found?.ino, found?.size, found?.mtimeMs, found?.ctimeMs, expected.sha256].join();
    const known = checked.get(file);
    if (known?.state === state) return known.end;
    const end = compare(folder, path, expected);
    checked.set(file, { state, end });
    return end.catch((cause: unknown) => {
      // It may have passed by itself, as where there were no handles of files.
      if (checked.get(file)?.end === end) checked.delete(file);
      throw cause;
    });
  };
}

async function compare(folder: string, path: string, expected: FileEntry): Promise<void> {
  const { bytes, sha256 } = await folderSource(folder).measure!(path, expected.bytes); // a folder has it
  if (bytes === expected.bytes && sha256 === expected.sha256) return;
  const what =
    bytes === expected.bytes
      ? `sha256 ${expected.sha256}, got ${sha256}`
      : `${expected.bytes} bytes, got ${bytes}`;
  throw new FuzzError('bundle', `altered: expected ${what}`, {
    path: join(folder, path),
    hint: 'Export or download the bundle again.',
  });
}
