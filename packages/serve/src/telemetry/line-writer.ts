import { write, writeSync } from 'node:fs';
import { systemErrorCode } from '@fuzzqe/files';

/** Writes lines for anyone who reads them, and waits for nobody. */
export interface LineWriter {
  /** Takes whole lines, each with its line feed. */
  write(lines: string): void;
  /** Gives what was gathered to the system. */
  send(): void;
  /** Writes what still waits, as far as somebody takes it within a second. */
  close(): void;
}

/** Lines go to the system together, until there are so many characters or so many milliseconds have passed: a call for each would take a tenth of a request. */
const mostGathered = 8192;
const gatheringTime = 10;

/** Bytes that wait for a slow reader; lines beyond them are dropped. */
const mostWaiting = 4 * 2 ** 20;

/** How long a reader that takes nothing is left alone, and how long a process that ends waits for it, in milliseconds. */
const pause = 20;
const mostAtTheEnd = 1000;

interface Piece {
  readonly bytes: Buffer;
  written: number;
  /** Whether its first line was begun before. */
  readonly isRest?: boolean;
}

/**
 * A writer to an open file, by default standard error. `onDropped` hears of each line that stays unwritten because a reader stalls or has
 * gone, or a disk is full; what comes later is written where that is over.
 */
export function openLineWriter(onDropped: () => void, file = 2): LineWriter {
  let waiting: Piece[] = [];
  let bytesWaiting = 0;
  let gathered = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let state: 'idle' | 'writing' | 'resting' = 'idle';
  /** When a closed writer gives up. */
  let end: number | undefined;

  const drop = (bytes: Buffer): void => {
    for (const byte of bytes) if (byte === lineFeed) onDropped();
  };
  const wrote = (piece: Piece, length: number): void => {
    piece.written += length;
    if (piece.written < piece.bytes.length) return;
    waiting.shift();
    bytesWaiting -= piece.bytes.length;
  };
  /** Whether the same bytes may be tried again soon; else what waits is dropped, but for the rest of a line, which ends it some day. */
  const maySoon = (error: unknown, { bytes, written, isRest = false }: Piece): boolean => {
    const isBusy = ['EAGAIN', 'EBUSY', 'EINTR'].includes(systemErrorCode(error) ?? '');
    if (isBusy && (end === undefined || performance.now() < end)) return true;
    const isWithin = written === 0 ? isRest : bytes[written - 1] !== lineFeed;
    const lineEnd = isWithin ? bytes.indexOf(lineFeed, written) + 1 : written;
    drop(bytes.subarray(lineEnd));
    for (const other of waiting.slice(1)) drop(other.bytes);
    const rest = bytes.subarray(written, lineEnd);
    waiting = isWithin && end === undefined ? [{ bytes: rest, written: 0, isRest: true }] : [];
    bytesWaiting = waiting.length === 0 ? 0 : rest.length;
    return false;
  };
  const next = (): void => {
    const [piece] = waiting;
    if (state !== 'idle') return;
    if (piece === undefined) {
      if (end !== undefined) process.off('exit', flush);
      return;
    }
    state = 'writing';
    write(file, piece.bytes, piece.written, (error, length) => {
      state = 'idle';
      if (error === null) {
        wrote(piece, length);
        next();
      } else if (maySoon(error, piece)) {
        state = 'resting';
        setTimeout(() => {
          state = 'idle';
          next();
        }, pause).unref();
      } else if (end !== undefined) next();
    });
  };
  const gather = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (gathered === '') return;
    const bytes = Buffer.from(gathered);
    gathered = '';
    if (bytesWaiting + bytes.length > mostWaiting) {
      drop(bytes);
      return;
    }
    waiting.push({ bytes, written: 0 });
    bytesWaiting += bytes.length;
  };
  const send = (): void => {
    gather();
    next();
  };
  /** Here no timer and no callback comes any more. */
  const flush = (): void => {
    gather();
    end ??= performance.now() + mostAtTheEnd;
    // The first is on its way already.
    if (state === 'writing') waiting.shift();
    for (let [piece] = waiting; piece !== undefined; [piece] = waiting)
      try {
        wrote(piece, writeSync(file, piece.bytes, piece.written));
      } catch (error) {
        if (maySoon(error, piece)) Atomics.wait(sleeper, 0, 0, pause);
      }
  };
  // A process that ends by an error, or by itself, closes nothing.
  process.once('exit', flush);
  return {
    write(lines) {
      gathered += lines;
      if (gathered.length > mostGathered) send();
      else timer ??= setTimeout(send, gatheringTime);
    },
    send,
    close() {
      end = performance.now() + mostAtTheEnd;
      send();
    },
  };
}

const lineFeed = 10;
const sleeper = new Int32Array(new SharedArrayBuffer(4));
