import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { FuzzError, withoutSecrets } from '@fuzzqe/core';
import { storageError, systemErrorCode } from '../errors/storage-error.ts';
import { openRegularFile } from '../reading/regular-file.ts';
import { requestFailure, waitAfter } from './attempts.ts';
import { type PartialFile, partialFile } from './partial-file.ts';

/** What to fetch and where to put it. */
export interface FetchFileOptions {
  readonly url: string;
  readonly path: string;
  /** Bytes that are there, and bytes in all, or 0 where the server does not say. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
  /** Headers of the request in addition to its own; a server of another name that it is sent on to gets no `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How often to go on after a connection that breaks. Default 5. */
  readonly retries?: number;
  /** Milliseconds to wait before the first of them; twice that before the second, and so on. Default 1000. */
  readonly retryDelay?: number;
  /** Bytes that the file has at most: a download that never ends stops there. Default 16 GiB. */
  readonly maxBytes?: number;
  /** Writes to the open file; for tests of what happens when the disk is full. */
  readonly write?: (file: FileHandle, bytes: Uint8Array) => Promise<unknown>;
}

/**
 * Fetches a file over HTTP, and goes on where an earlier attempt, in this process or another, was cut off.
 *
 * Bytes gather in `<path>.part`; the file appears under its name when it is whole. A server that does not do ranges, or
 * has another version by now, is asked for all of it again.
 *
 * @throws FuzzError `runtime`: a server that is not there, refuses (with its `status`), or keeps breaking off. `storage`: a full disk.
 *   `interrupted`. What was fetched stays, and the next call goes on from it. `data`: more bytes than the most; they do not stay.
 * @example
 * await fetchFile({ url: 'https://example.org/graph.zip', path: 'graph.zip', maxBytes: 2 ** 30 });
 */
export async function fetchFile(options: FetchFileOptions): Promise<void> {
  const { path, signal, retries = 5, retryDelay = 1000 } = options;
  const part = partialFile(path);
  for (let attempt = 0; ; attempt++) {
    try {
      await fetchRest(options, part);
      await part.complete();
      return;
    } catch (cause) {
      if (signal?.aborted) {
        throw new FuzzError('interrupted', `download: stopped after ${await part.size()} bytes`, {
          path,
          hint: 'Run the same command again to go on from there.',
          cause,
        });
      }
      if (cause instanceof FuzzError) throw cause;
      // What goes wrong with the connection is no error of the system by itself, but the cause of one of `fetch`.
      if (systemErrorCode(cause) !== undefined) throw unwritable(path, 0, cause);
      if (attempt >= retries) {
        throw new FuzzError(
          'runtime',
          `download: ${requestFailure(cause)}; ${await part.size()} bytes are kept`,
          {
            path: options.url,
            hint: 'Check the network and run the same command again: it goes on from there.',
            cause,
          },
        );
      }
    }
    await waitAfter(attempt, retryDelay, signal);
  }
}

/**
 * The SHA-256 of a file, or its MD5 where nothing better is published of it, in hex. Throws: as `openRegularFile`.
 *
 * @example
 * const digest = await hashFile('graph.zip'); // 64 digits
 */
export async function hashFile(path: string, algorithm: 'sha256' | 'md5' = 'sha256'): Promise<string> {
  const hash = createHash(algorithm);
  const { handle } = await openRegularFile(path);
  await pipeline(handle.createReadStream({ highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

async function fetchRest(options: FetchFileOptions, part: PartialFile): Promise<void> {
  const { url, path, signal, headers, onProgress, maxBytes = 16 * 2 ** 30 } = options;
  const { bytes: have, validator } = await part.resumable(withoutSecrets(url));
  const response = await fetch(url, {
    // Compressed on the way, a file would have other byte positions.
    headers: {
      ...headers,
      'accept-encoding': 'identity',
      ...(have > 0 && validator !== '' ? { range: `bytes=${have}-`, 'if-range': validator } : {}),
    },
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.status === 416) {
    await response.body?.cancel();
    // All was there already, or the part is longer than the file: only the first is worth keeping.
    if (rangeOf(response).total === have) return;
    await part.discard();
    throw new Error('the part does not belong to the file');
  }
  const continues = response.status === 206 && rangeOf(response).start === have;
  if (!response.ok || response.body === null || (response.status === 206 && !continues)) {
    // Left unread, it would hold its connection.
    await response.body?.cancel();
    throw refused(response, url);
  }
  const start = continues ? have : 0;
  const length = Number(response.headers.get('content-length') ?? 0);
  const total = length === 0 ? 0 : start + length;
  if (total > maxBytes) {
    await response.body.cancel();
    await part.discard();
    throw tooLong(url, total, maxBytes);
  }
  const file = await part.open(continues, versionOf(response, url));
  let done = start;
  try {
    for await (const chunk of response.body) {
      if (done + chunk.length > maxBytes) {
        await part.discard();
        throw tooLong(url, done + chunk.length, maxBytes);
      }
      await (options.write?.(file, chunk) ?? file.writeFile(chunk)).catch((cause: unknown) => {
        throw unwritable(path, total - done, cause);
      });
      done += chunk.length;
      onProgress?.(done, total);
    }
  } finally {
    await file.close();
  }
  if (total > 0 && done < total)
    throw new Error(`the connection was closed ${total - done} bytes before the end`);
}

function rangeOf(response: Response): { readonly start: number; readonly total: number } {
  const [, start, total] =
    /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
  return { start: Number(start ?? Number.NaN), total: Number(total ?? Number.NaN) };
}

function versionOf(response: Response, url: string): { url: string; validator: string } | undefined {
  const tag = response.headers.get('etag');
  // A weak tag names what means the same, which may be other bytes.
  const validator = tag !== null && !tag.startsWith('W/') ? tag : response.headers.get('last-modified');
  return validator === null ? undefined : { url: withoutSecrets(url), validator };
}

function refused(response: Response, url: string): Error {
  const message = `download: expected the file, got ${response.status} ${response.statusText}`.trimEnd();
  // What the server may do better at the next attempt is told as any broken connection.
  if (response.status >= 500 || response.status === 429) return new Error(message.slice('download: '.length));
  const error = new FuzzError('runtime', message, {
    path: url,
    hint: 'Check the address, or give another one with --url.',
  });
  return Object.assign(error, { status: response.status });
}

function tooLong(url: string, bytes: number, maxBytes: number): FuzzError {
  return new FuzzError('data', `download: expected at most ${maxBytes} bytes, got ${bytes} and more`, {
    path: withoutSecrets(url),
    hint: 'It is not the file that was meant, and was removed. Check the address.',
  });
}

function unwritable(path: string, missing: number, cause: unknown): FuzzError {
  const need = missing > 0 ? `at least ${Math.ceil(missing / 2 ** 20)} MiB are missing, and ` : '';
  const kept = `${need}the same command goes on from there`;
  return storageError('download: cannot be written', path, cause, kept);
}
