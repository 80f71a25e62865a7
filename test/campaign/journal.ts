import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** How far a process of a door is. */
export interface Progress {
  readonly taken: number;
  readonly refused: number;
  /** What inputs stand for, in the unit of the door. */
  readonly units: number;
  /** Of inputs, the slowest, in milliseconds. */
  readonly slowest: number;
  /** The most memory so far, in MiB. */
  readonly mebibytes: number;
  /** The index of the first input that has not begun. */
  readonly next: number;
  /** The indices of inputs that began and have not ended. */
  readonly inside: readonly number[];
}

/** What a process writes into its journal: the counts, and an input by the place that it takes among those at once. */
export interface Journal {
  began(place: number, index: number): void;
  ended(place: number, outcome: 'taken' | 'refused' | 'failed', units: number, milliseconds: number): void;
  remember(mebibytes: number): void;
  close(): void;
}

const fields = 6;
const nothing = -1;

/**
 * Makes a journal in a file, for `parallel` inputs at once. Each entry is one write of a few bytes in place, so that a process that
 * was killed or hangs has left what it was at, and a hundred thousand inputs a minute cost little.
 */
export function openJournal(path: string, parallel: number, from: number): Journal {
  const numbers = new Float64Array(fields + parallel).fill(nothing, fields);
  numbers[5] = from;
  const bytes = new Uint8Array(numbers.buffer);
  const file = openSync(path, 'w');
  const write = (): void => void writeSync(file, bytes, 0, bytes.length, 0);
  write();
  return {
    began(place, index) {
      numbers[fields + place] = index;
      numbers[5] = index + 1;
      write();
    },
    ended(place, outcome, units, milliseconds) {
      numbers[fields + place] = nothing;
      if (outcome === 'taken') numbers[0]! += 1;
      if (outcome === 'refused') numbers[1]! += 1;
      numbers[2]! += units;
      numbers[3] = Math.max(numbers[3]!, milliseconds);
      write();
    },
    remember(mebibytes) {
      numbers[4] = Math.max(numbers[4]!, mebibytes);
      write();
    },
    close: () => closeSync(file),
  };
}

/** Reads a journal, of a process that may still write; undefined before its first entry. */
export function readJournal(path: string): Progress | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return undefined;
  }
  if (bytes.length < 8 * fields) return undefined;
  const numbers = Array.from({ length: bytes.length / 8 }, (_, i) => bytes.readDoubleLE(8 * i));
  const [taken = 0, refused = 0, units = 0, slowest = 0, mebibytes = 0, next = 0, ...places] = numbers;
  const inside = places.filter((index) => index !== nothing);
  return { taken, refused, units, slowest, mebibytes, next, inside };
}
