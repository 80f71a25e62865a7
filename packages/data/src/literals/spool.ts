import { closeSync, mkdtempSync, openSync, readSync, rmdirSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storageError } from '@fuzzqe/files';

/** Bytes that are added one after another and read again: the first MiB in memory, more in a temporary file. */
export interface Spool {
  readonly length: number;
  /** Adds a text as UTF-8; gives the number of its bytes. */
  add(text: string): number;
  /** The bytes from one place to another, valid until the next call. */
  read(from: number, to: number): Buffer;
}

const inMemory = 2 ** 20;
/** Readings that follow one another are made in windows. */
const windowBytes = 2 ** 16;

/**
 * An empty spool.
 *
 * @throws FuzzError `storage`, from `add` and `read`: the folder of temporary files is full or cannot be written.
 */
export function createSpool(): Spool {
  const pending = Buffer.allocUnsafe(inMemory);
  let used = 0;
  let written = 0;
  let file: number | undefined;
  let window: Buffer = Buffer.alloc(0);
  let windowStart = 0;
  let lastEnd = 0;

  const asStorage = <T>(act: () => T): T => {
    try {
      return act();
    } catch (cause) {
      throw storageError('literals: cannot be kept in a temporary file', tmpdir(), cause);
    }
  };
  const flush = (more: Uint8Array = new Uint8Array(0)): void =>
    asStorage(() => {
      file ??= openUnnamed(spool);
      for (const bytes of [pending.subarray(0, used), more])
        for (let at = 0; at < bytes.length; ) {
          const count = writeSync(file, bytes, at, bytes.length - at, written);
          at += count;
          written += count;
        }
      used = 0;
    });
  const spool: Spool = {
    get length() {
      return written + used;
    },
    add(text) {
      // A UTF-16 unit is at most three bytes of UTF-8.
      if (3 * text.length > inMemory) {
        const bytes = Buffer.from(text);
        flush(bytes);
        return bytes.length;
      }
      if (used + 3 * text.length > inMemory) flush();
      const count = pending.write(text, used);
      used += count;
      return count;
    },
    read(from, to) {
      if (file === undefined) return pending.subarray(from, to);
      if (used > 0) flush();
      if (from >= windowStart && to <= windowStart + window.length) {
        lastEnd = to;
        return window.subarray(from - windowStart, to - windowStart);
      }
      const wanted = Math.max(to - from, from === lastEnd ? windowBytes : 0);
      const length = Math.min(wanted, written - from);
      window = asStorage(() => readFrom(file!, from, length));
      [windowStart, lastEnd] = [from, to];
      return window.subarray(0, to - from);
    },
  };
  return spool;
}

function readFrom(file: number, from: number, length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const count = readSync(file, bytes, at, length - at, from + at);
    if (count === 0) throw new Error('the temporary file is shorter than what was written to it');
    at += count;
  }
  return bytes;
}

/** Closes files whose spools nobody has any more. */
const unused = new FinalizationRegistry<number>((file) => closeSync(file));

/** A file without a name: whatever becomes of the process, nothing is left. */
function openUnnamed(owner: Spool): number {
  const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-'));
  const path = join(folder, 'literals');
  const file = openSync(path, 'wx+');
  unlinkSync(path);
  rmdirSync(folder);
  unused.register(owner, file);
  return file;
}
