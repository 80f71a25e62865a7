import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import { join, posix, resolve, sep } from 'node:path';
import { type BundleSource, bundlePaths, type FileEntry } from '@fuzzqe/bundle';
import { FuzzError, isPassing } from '@fuzzqe/core';
import { readFully } from '@fuzzqe/files';
import { folderPath } from './folder-path.ts';

/** A bundle in a folder, whose files may also be passed on. */
export interface FolderSource extends BundleSource {
  /** The size of a file in bytes, which must not be above `most`. */
  sizeOf(path: string, most?: number): Promise<number>;
  /** So many bytes of a file, in pieces; anyone who takes the stream reads or cancels it, which closes the file. */
  stream(path: string, bytes: number): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

/**
 * A bundle in a folder.
 *
 * Files are measured as a stream, so that weights larger than memory can be verified, and read in pieces, since Node reads no file of
 * 2³¹ bytes at once. Files whose names begin with
 * a dot belong to the system and are not listed. Nothing but files is read, and none that is larger than it may be.
 *
 * @throws FuzzError `usage`: what is no path. `bundle`, at the first read: the folder or a file is missing or cannot be read.
 * @example
 * const source = folderSource('bundles/mine');
 */
export function folderSource(directory: string): FolderSource {
  const location = folderPath(directory);
  const explain = async (path: string, cause: unknown): Promise<FuzzError> => {
    const code = errorCode(cause);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') {
      const hint = 'Check that it is a file and that you may read it.';
      return new FuzzError('bundle', `cannot be read: ${code ?? cause}`, {
        path: join(location, path),
        hint,
        passing: isPassing(cause),
        cause,
      });
    }
    const folder = await stat(location).catch(() => undefined);
    if (folder?.isDirectory() !== true) {
      const got = folder === undefined ? 'nothing' : 'a file';
      return new FuzzError('bundle', `expected the folder of a bundle, got ${got}`, {
        path: location,
        hint: 'Make a bundle with `fuzzqe export`, or check the path.',
        cause,
      });
    }
    const isBundle = await stat(join(location, bundlePaths.manifest)).catch(() => undefined);
    return new FuzzError('bundle', `expected the file ${path}, got nothing`, {
      path: location,
      hint:
        isBundle === undefined
          ? 'This folder is not a bundle; `fuzzqe export` makes one of a training run.'
          : 'The bundle is incomplete; export it again.',
      cause,
    });
  };
  const attempt = async <T>(path: string, work: (file: string) => Promise<T>): Promise<T> => {
    const file = locate(location, path);
    try {
      return await work(file);
    } catch (cause) {
      throw cause instanceof FuzzError && cause.code === 'bundle' ? cause : await explain(path, cause);
    }
  };
  return {
    location,
    sizeOf: (path, most) => attempt(path, (file) => sizeWithin(file, most)),
    stream: (path, bytes) => attempt(path, async (file) => streamOf(await open(file), bytes)),
    read: (path, most) => attempt(path, async (file) => readPieces(file, await sizeWithin(file, most))),
    measure: (path, most = Number.POSITIVE_INFINITY) =>
      attempt(path, async (file) => {
        const size = await sizeOf(file);
        return size > most ? { bytes: size, sha256: '' } : measureFile(file);
      }),
    list: () => attempt('', (folder) => listFiles(folder, '')),
  };
}

/** The place of a bundle's file on this system; never outside the folder. */
export function locate(directory: string, path: string): string {
  const folder = resolve(directory);
  const file = resolve(folder, ...path.split('/'));
  if (file !== folder && !file.startsWith(folder.endsWith(sep) ? folder : folder + sep)) {
    throw new FuzzError('bundle', `expected a path inside the bundle, got ${JSON.stringify(path)}`, {
      path: directory,
      hint: 'The bundle is not to be trusted.',
    });
  }
  return file;
}

/**
 * The size of a file; a device or a pipe has none, and may never end.
 *
 * @throws FuzzError `bundle`: it is no file.
 */
async function sizeOf(file: string): Promise<number> {
  const found = await stat(file);
  if (found.isFile()) return found.size;
  throw new FuzzError(
    'bundle',
    `expected a file, got ${found.isDirectory() ? 'a folder' : 'a device or a pipe'}`,
    {
      path: file,
      hint: 'A bundle has files and folders only; export or download it again.',
    },
  );
}

async function sizeWithin(file: string, most = Number.POSITIVE_INFINITY): Promise<number> {
  const size = await sizeOf(file);
  if (size <= most) return size;
  throw new FuzzError('bundle', `too long: expected at most ${most} bytes, got ${size}`, {
    path: file,
    hint: 'Export or download the bundle again.',
  });
}

/** Bytes of a piece that is passed on. */
const pieceSize = 65_536;

function streamOf(handle: FileHandle, bytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = bytes;
  const pull = async (
    controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>,
  ): Promise<void> => {
    try {
      const piece = new Uint8Array(Math.min(pieceSize, left));
      const { bytesRead } = await handle.read(piece);
      if (bytesRead === 0 && left > 0) throw new FuzzError('bundle', 'ended while it was read');
      left -= bytesRead;
      if (bytesRead > 0) controller.enqueue(piece.subarray(0, bytesRead));
      if (left > 0) return;
      await handle.close();
      controller.close();
    } catch (cause) {
      await handle.close();
      throw cause;
    }
  };
  return new ReadableStream({ pull, cancel: () => handle.close() }, { highWaterMark: 0 });
}

async function readPieces(file: string, size: number): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const bytes = new Uint8Array(size);
    await readFully(handle, bytes, 0, { path: file });
    return bytes;
  } finally {
    await handle.close();
  }
}

async function measureFile(file: string): Promise<FileEntry> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** The files of a folder, links to folders followed: volumes of Kubernetes are made of them. `inside` are the folders around it. */
async function listFiles(folder: string, prefix: string, inside: readonly string[] = []): Promise<string[]> {
  const paths: string[] = [];
  const around = [...inside, await realpath(folder)];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    const path = posix.join(prefix, entry.name);
    const place = join(folder, entry.name);
    if (entry.isDirectory() || (entry.isSymbolicLink() && (await leadsIn(place, around))))
      paths.push(...(await listFiles(place, path, around)));
    else paths.push(path);
  }
  return paths.sort();
}

/** Whether a link leads to a folder, and to none of those around it, which would be listed without end. */
async function leadsIn(link: string, around: readonly string[]): Promise<boolean> {
  const target = await realpath(link).catch(() => undefined);
  return target !== undefined && !around.includes(target) && (await stat(target)).isDirectory();
}

function errorCode(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}
