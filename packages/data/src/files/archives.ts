import { stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { crc32 } from 'node:zlib';
import { FuzzError, messageOf } from '@fuzzqe/core';
import { openRegularFile, readError, systemErrorCode } from '@fuzzqe/files';
import { type Entry, openPromise, type ZipFile } from 'yauzl';

/** Where a path leads into a zip archive: `inside` is the path in it, or nothing. */
export interface ArchivePlace {
  readonly archive: string;
  readonly inside: string;
}

/** More files than any archive of a graph has. */
const mostEntries = 10_000;

/** The place in a zip archive that a path names, as `umls.zip/train.tsv`; undefined where no file of it ends in `.zip`. */
export async function archivePlaceOf(path: string): Promise<ArchivePlace | undefined> {
  for (const { index } of path.matchAll(/\.zip(?=$|[/\\])/gi)) {
    const archive = path.slice(0, index + 4);
    const found = await stat(archive).catch(() => undefined);
    if (found?.isFile() === true)
      return { archive, inside: path.slice(archive.length + 1).replaceAll('\\', '/') };
  }
  return undefined;
}

/**
 * The paths of the files of an archive that lie at a place or below it, without those that Macs add.
 *
 * @throws FuzzError `data`: no zip archive, a damaged one, or one of more than 10 000 files.
 */
export async function filesInArchive(place: ArchivePlace): Promise<readonly string[]> {
  const zip = await openZip(place.archive);
  try {
    return (await entriesAt(zip, place)).map(({ fileName }) => fileName);
  } catch (error) {
    throw brokenZip(place.archive, error);
  } finally {
    zip.close();
  }
}

/** A file of an archive that is read. */
export interface OpenedEntry {
  /** How many bytes it takes in the archive, and how many it has. */
  readonly packed: number;
  readonly unpacked: number;
  readonly content: AsyncIterable<Buffer>;
  close(): void;
}

/**
 * Opens the one file at a place of an archive; its content is held against its CRC-32.
 *
 * @throws FuzzError `data`: no zip archive, a damaged or encrypted one; no file there, or several.
 */
export async function openEntry(place: ArchivePlace): Promise<OpenedEntry> {
  const zip = await openZip(place.archive);
  try {
    const entries = await entriesAt(zip, place);
    const [entry] = entries;
    if (entry === undefined || entries.length > 1) throw notOneFile(place, entries);
    if (entry.isEncrypted()) throw new Error('it is encrypted');
    const content = await zip.openReadStreamPromise(entry);
    return {
      packed: entry.compressedSize,
      unpacked: entry.uncompressedSize,
      content: checkedContent(entry)(content),
      close: () => {
        content.destroy();
        zip.close();
      },
    };
  } catch (error) {
    zip.close();
    throw brokenZip(place.archive, error);
  }
}

/** Passes bytes on, and throws at the end where they are not the ones that were packed. */
export function checkedContent({ fileName, crc32: expected }: Entry) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let found = 0;
    for await (const block of source) {
      found = crc32(block, found);
      yield block;
    }
    if (found !== expected)
      throw new Error(`${fileName}: expected the CRC-32 ${hex(expected)}, got ${hex(found)}`);
  };
}

/** Whether an entry is a file that people put there: Macs add a shadow of every file, and entries of folders end with a slash. */
export function isPlainEntry({ fileName }: Entry): boolean {
  return (
    !fileName.endsWith('/') && !fileName.startsWith('__MACOSX') && !posix.basename(fileName).startsWith('.')
  );
}

async function openZip(archive: string): Promise<ZipFile> {
  await (await openRegularFile(archive)).handle.close();
  try {
    return await openPromise(archive, { lazyEntries: true, autoClose: false });
  } catch (error) {
    throw brokenZip(archive, error);
  }
}

async function entriesAt(zip: ZipFile, { archive, inside }: ArchivePlace): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  if (zip.entryCount > mostEntries)
    throw new FuzzError('data', `zip: expected at most ${mostEntries} files, got ${zip.entryCount}`, {
      path: archive,
      hint: 'Unpack the files that you mean, and give the folder.',
    });
  for await (const entry of zip.eachEntry()) {
    const { fileName } = entry;
    if (!isPlainEntry(entry)) continue;
    if (inside === '' || fileName === inside || fileName.startsWith(`${inside.replace(/\/$/, '')}/`))
      entries.push(entry);
  }
  return entries;
}

function notOneFile({ archive, inside }: ArchivePlace, entries: readonly Entry[]): FuzzError {
  const names = entries.map(({ fileName }) => fileName);
  const listed = `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`;
  const where = inside === '' ? '' : ` at ${JSON.stringify(inside)}`;
  const got = names.length === 0 ? 'none' : `${names.length}: ${listed}`;
  return new FuzzError('data', `zip: expected one file${where}, got ${got}`, {
    path: archive,
    hint: names.length === 0 ? 'Check the path.' : `Give one of them, as in ${archive}/${names[0]}.`,
  });
}

/** The error for an archive that cannot be read. */
export function brokenZip(archive: string, cause: unknown): FuzzError {
  if (cause instanceof FuzzError) return cause;
  if (systemErrorCode(cause) !== undefined) return readError(archive, cause);
  return new FuzzError(
    'data',
    `zip: expected a whole zip archive, got one that cannot be read (${reasonOf(cause)})`,
    {
      path: archive,
      hint: 'The archive is damaged, cut short or protected: fetch or write it again.',
      cause,
    },
  );
}

function reasonOf(cause: unknown): string {
  return messageOf(cause).replace(/\.$/, '');
}

const hex = (value: number): string => value.toString(16).padStart(8, '0');
