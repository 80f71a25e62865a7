import { createWriteStream } from 'node:fs';
import { join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FuzzError, messageOf } from '@fuzzqe/core';
import {
  freeExpansion,
  makeFolder,
  raiseLimit,
  readLimits,
  storageError,
  systemErrorCode,
} from '@fuzzqe/files';
import { type Entry, openPromise } from 'yauzl';
import { checkedContent, isPlainEntry } from '../files/archives.ts';

/** Bytes that an archive's files may take together; the published ones take a tenth. */
const mostUnpacked = 64 * 2 ** 30;

/**
 * Unpacks the files of one folder of a zip archive, wherever in it the folder is; gives their names.
 *
 * Only that folder's own files are read, or those of them in `only`; they go right into `target`, under their last names. What is
 * unpacked is held against the size and the CRC-32 that the archive gives it.
 *
 * @throws FuzzError `data`: no zip archive, a damaged one, one that grows beyond measure, has a name twice, or lacks the folder.
 *   `storage`: the disk refuses. `interrupted`.
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
  let total = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      const { dir, base } = posix.parse(entry.fileName);
      if (!isPlainEntry(entry)) continue;
      const name = posix.basename(dir);
      if (name !== '') folders.add(name);
      if (name !== folder || only?.includes(base) === false) continue;
      if (unpacked.includes(base)) throw refused(archive, `the name ${base} twice in the folder ${folder}`);
      total += entry.uncompressedSize;
      expectModest(archive, entry, total);
      const content = await zip.openReadStreamPromise(entry);
      await pipeline(
        content,
        checkedContent(entry),
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

/** Looks at sizes as the archive gives them, before anything is unpacked; more than that is never read. */
function expectModest(
  archive: string,
  { fileName, compressedSize, uncompressedSize }: Entry,
  total: number,
): void {
  const { expansion } = readLimits();
  if (uncompressedSize > freeExpansion + expansion * compressedSize)
    throw refused(
      archive,
      `${fileName}, which would grow from ${compressedSize} to ${uncompressedSize} bytes`,
      raiseLimit('expansion'),
    );
  if (total > mostUnpacked)
    throw refused(
      archive,
      `files of more than ${mostUnpacked} bytes`,
      'It is not one of the published ones.',
    );
}

function refused(archive: string, got: string, hint = 'Fetch it from where it was published.'): FuzzError {
  return new FuzzError('data', `archive: expected a folder of files, got ${got}`, { path: archive, hint });
}

function damaged(archive: string, cause: unknown): FuzzError {
  if (cause instanceof FuzzError) return cause;
  if (systemErrorCode(cause) !== undefined)
    return storageError('archive: cannot be unpacked', archive, cause);
  const reason = messageOf(cause);
  return new FuzzError('data', `archive: cannot be unpacked (${reason})`, {
    path: archive,
    hint: 'Remove the archive and fetch it again.',
    cause,
  });
}
