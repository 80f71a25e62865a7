import { createWriteStream } from 'node:fs';
import { join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FuzzError, storageError, systemErrorCode } from '@fuzzqe/core';
import { makeFolder } from '@fuzzqe/files';
import { openPromise } from 'yauzl';

/**
 * Unpacks the files of one folder of a zip archive, wherever in it the folder is; gives their names.
 *
 * Only that folder's own files are read, or those of them in `only`; they go right into `target`, under their last names.
 *
 * @throws FuzzError `data`: no zip archive, a damaged one, or one without the folder. `interrupted`.
 */
export async function unpackFolder(
  archive: string,
  folder: string,
  target: string,
  { only, signal }: { readonly only?: readonly string[]; readonly signal?: AbortSignal | undefined } = {},
): Promise<string[]> {
  await makeFolder(target);
  const zip = await openPromise(archive, { lazyEntries: true, autoClose: false }).catch((cause: unknown) => {
    throw damaged(archive, cause);
  });
  const unpacked: string[] = [];
  const folders = new Set<string>();
  try {
    for await (const entry of zip.eachEntry()) {
      const { dir, base } = posix.parse(entry.fileName);
      // Macs add a shadow of every file; entries of folders end with a slash.
      if (entry.fileName.endsWith('/') || dir.startsWith('__MACOSX') || base.startsWith('.')) continue;
      const name = posix.basename(dir);
      if (name !== '') folders.add(name);
      if (name !== folder || only?.includes(base) === false) continue;
      const content = await zip.openReadStreamPromise(entry);
      await pipeline(
        content,
        createWriteStream(join(target, base)),
        ...(signal === undefined ? [] : [{ signal }]),
      );
      unpacked.push(base);
    }
  } catch (cause) {
    if (signal?.aborted) {
      throw new FuzzError('interrupted', 'unpacking: stopped', {
        path: archive,
        hint: 'Run the same command again.',
        cause,
      });
    }
    throw damaged(archive, cause);
  } finally {
    zip.close();
  }
  if (unpacked.length > 0) return unpacked;
  throw new FuzzError(
    'data',
    `archive: expected the folder ${folder}, found ${[...folders].sort().join(', ') || 'none'}`,
    {
      path: archive,
      hint: 'Is it the archive of the BetaE data sets?',
    },
  );
}

function damaged(archive: string, cause: unknown): FuzzError {
  if (systemErrorCode(cause) !== undefined)
    return storageError('archive: cannot be unpacked', archive, cause);
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new FuzzError('data', `archive: cannot be unpacked (${reason})`, {
    path: archive,
    hint: 'Remove the archive and fetch it again.',
    cause,
  });
}
