import { type FileHandle, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { schema } from '@fuzzqe/core';
import { putInPlace } from '../files/write-file.ts';

/** What a file under download was fetched from, as the server tells it: parts of two versions never make one file. */
export interface PartialVersion {
  readonly url: string;
  /** A strong ETag, or the time of the last change: what `If-Range` takes. */
  readonly validator: string;
}

/** The part of a file that has been fetched, next to the place where the whole will be. */
export interface PartialFile {
  /** How many bytes are there of that version; 0 where they are of another one, or of none that is known. */
  resumable(url: string): Promise<{ readonly bytes: number; readonly validator: string }>;
  /** Opens it to go on at the end, or from the start. A version without a validator cannot be continued. */
  open(atEnd: boolean, version: PartialVersion | undefined): Promise<FileHandle>;
  size(): Promise<number>;
  /** Puts the whole file in its place. */
  complete(): Promise<void>;
  discard(): Promise<void>;
}

/** The partial file of that path: `<path>.part`, with its version in `<path>.part.json`. */
export function partialFile(path: string): PartialFile {
  const part = `${path}.part`;
  const record = `${path}.part.json`;
  const size = async (): Promise<number> =>
    stat(part).then(
      (found) => found.size,
      () => 0,
    );
  return {
    size,
    async resumable(url) {
      const version = await readVersion(record);
      if (version?.url !== url) return { bytes: 0, validator: '' };
      return { bytes: await size(), validator: version.validator };
    },
    async open(atEnd, version) {
      if (!atEnd) {
        await rm(record, { force: true });
        if (version !== undefined) await writeFile(record, JSON.stringify(version));
      }
      return open(part, atEnd ? 'a' : 'w');
    },
    async complete() {
      await putInPlace(part, path);
      await rm(record, { force: true });
    },
    async discard() {
      await rm(part, { force: true });
      await rm(record, { force: true });
    },
  };
}

const versionSchema = schema.object({ url: schema.string, validator: schema.string });

/** Undefined where there is none, or one that was cut off while it was written: the download begins again. */
async function readVersion(path: string): Promise<PartialVersion | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : schema.recogniseJson(versionSchema, text);
}
