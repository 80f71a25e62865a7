import { type FileHandle, open } from 'node:fs/promises';
import { FuzzError, messageOf } from '@fuzzqe/core';
import { storageError, syncFolder } from '@fuzzqe/files';
import { emptySegment, noteLine, type Segment } from './segment.ts';

/** A line to be appended, and the epoch of its batch. */
export interface NewLine {
  readonly epoch: number;
  readonly pieces: readonly Uint8Array[];
}

/** Appends to the last segment, or to a new one. */
export interface LogWriter {
  /**
   * Appends lines with one flush, whole or not at all.
   *
   * @throws FuzzError `storage`: the disk refuses; nothing of the lines is left. After that fails as well, every call throws.
   */
  write(lines: readonly NewLine[]): Promise<void>;
  /** Ends the last segment, and gives a number for a compacted segment after it; later segments have higher numbers. */
  seal(): Promise<number>;
  close(): Promise<void>;
}

/** The segments of a log, which a writer adds to. */
export interface WriterOptions {
  readonly folder: string;
  readonly segments: Segment[];
  /** Bytes after which a new segment begins. */
  readonly segmentBytes: number;
}

/** Opens no file until something is written. */
export function createLogWriter({ folder, segments, segmentBytes }: WriterOptions): LogWriter {
  let file: FileHandle | undefined;
  let isSealed = false;
  let isNameNew = false;
  let nextNumber = (segments.at(-1)?.number ?? 0) + 1;
  let refusal: FuzzError | undefined;

  const release = async (): Promise<void> => {
    const handle = file;
    file = undefined;
    await handle?.close();
  };

  /** Opens the segment to write to, whose name is durable then. */
  const openSegment = async (): Promise<Segment> => {
    const last = segments.at(-1);
    const goesOn = last?.kind === 'log' && !isSealed && last.bytes < segmentBytes;
    const segment = goesOn ? last : emptySegment(folder, 'log', nextNumber, last?.last ?? 0);
    try {
      if (!goesOn) {
        await release();
        file = await open(segment.path, 'ax');
        nextNumber += 1;
        isSealed = false;
        isNameNew = true;
        segments.push(segment);
      }
      file ??= await open(segment.path, 'a');
      // After a failure the next call tries again: what is written behind a name that does not last would be lost.
      if (isNameNew) await syncFolder(folder);
      isNameNew = false;
      return segment;
    } catch (cause) {
      throw cannotWrite(segment.path, cause);
    }
  };

  const refuse = (segment: Segment, cause: unknown): FuzzError => {
    refusal = new FuzzError(
      'storage',
      `the log of facts could not be brought back to its last batch: ${messageOf(cause)}`,
      {
        path: segment.path,
        hint: 'Check the disk and open the store again. Whether the last append is kept shows then.',
        cause,
      },
    );
    return refusal;
  };

  /** Removes what a failed append may have left. */
  const cutBack = async (segment: Segment, handle: FileHandle): Promise<void> => {
    try {
      await handle.truncate(segment.bytes);
      await handle.datasync();
    } catch (cause) {
      throw refuse(segment, cause);
    }
  };

  return {
    async write(lines) {
      if (refusal !== undefined) throw refusal;
      const segment = await openSegment();
      const handle = file!;
      try {
        await handle.writeFile(Buffer.concat(lines.flatMap(({ pieces }) => pieces)));
        await handle.datasync();
      } catch (cause) {
        await cutBack(segment, handle);
        throw cannotWrite(segment.path, cause);
      }
      for (const { epoch, pieces } of lines)
        noteLine(
          segment,
          pieces.reduce((sum, { length }) => sum + length, 0),
          epoch,
        );
    },
    async seal() {
      if (refusal !== undefined) throw refusal;
      await release();
      isSealed = true;
      const number = nextNumber;
      nextNumber += 1;
      return number;
    },
    close: release,
  };
}

function cannotWrite(path: string, cause: unknown): FuzzError {
  return storageError('cannot write the facts', path, cause, 'nothing of the batch is kept');
}
