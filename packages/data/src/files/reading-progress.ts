import { packedSize } from './read-bytes.ts';

/** Told how much of the files of an import has been read, in bytes as they lie on the disk. */
export type ReadingProgress = (done: number, total: number) => void;

/**
 * Adds up what is read of several files; gives what a reader is handed as `onRead`.
 *
 * Files that are not there count nothing: the reader of each says so. Undefined where nobody wants to know.
 */
export async function countReading(
  paths: readonly (string | undefined)[],
  onProgress: ReadingProgress | undefined,
): Promise<((bytes: number) => void) | undefined> {
  if (onProgress === undefined) return undefined;
  let total = 0;
  for (const path of paths) if (path !== undefined) total += await packedSize(path);
  let done = 0;
  onProgress(0, total);
  return (bytes) => {
    done += bytes;
    onProgress(done, total);
  };
}
