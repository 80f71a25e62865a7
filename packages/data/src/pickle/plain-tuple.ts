import { maxQueryDepth } from '@fuzzqe/core/query';
import type { PickleValue } from './pickle-value.ts';

/** Numbers and texts nested in arrays, each array in one place only. */
export type PlainTuple = number | string | readonly PlainTuple[];

/** More than any query has: each of its nodes is a number and at most two arrays. */
const mostParts = 4096;

/**
 * Returns what copies the pickled tuples of one file; undefined for what holds anything but numbers, texts and arrays, or is
 * larger than a query: 64 levels, 4096 parts.
 *
 * A pickle may put one tuple into many places, or a list into itself: written out, 60 such steps are 2⁶⁰ tuples. So a
 * pickled value is never walked but through this, and all of a file's tuples together have at most as many parts as its
 * bytes could spell four times.
 */
export function createTupleReader(fileBytes: number): (value: PickleValue) => PlainTuple | undefined {
  let left = 2 ** 16 + 4 * fileBytes;
  return (value) => {
    let parts = 0;
    const copy = (part: PickleValue, depth: number): PlainTuple | undefined => {
      if (++parts > mostParts || depth > maxQueryDepth || --left < 0) return undefined;
      if (typeof part === 'number' || typeof part === 'string') return part;
      if (!Array.isArray(part)) return undefined;
      const copied: PlainTuple[] = [];
      for (const item of part as readonly PickleValue[]) {
        const plain = copy(item, depth + 1);
        if (plain === undefined) return undefined;
        copied.push(plain);
      }
      return copied;
    };
    return copy(value, 1);
  };
}
