import { namesOfStep, type Steps } from '../steps.ts';
import type { Dictionary } from './dictionary.ts';

/** An index of names that finds those within an edit distance of another name. */
export interface EditDistanceIndex {
  /**
   * Calls `found` with the names whose optimal string alignment distance from `wanted` (insert, delete, replace, swap of
   * neighbours) is at most `limit()`, which may shrink meanwhile and is at most `tolerance`.
   */
  within(
    wanted: string,
    tolerance: number,
    limit: () => number,
    found: (index: number, distance: number) => void,
  ): Steps<void>;
}

/**
 * Takes names in dictionary order, so that edits of a common prefix are counted once, and all names with a prefix that alone
 * takes too many edits are skipped together.
 *
 * Row i of a table of distances belongs to the first i letters of a name, so a name takes over the rows of what it shares
 * with the one before. Of a row there is only the band where distances can stay within the tolerance.
 */
export function createEditDistanceIndex(
  names: readonly string[],
  { order, shared, longest }: Dictionary,
): EditDistanceIndex {
  return {
    *within(wanted, tolerance, limit, found) {
      if (wanted.length > longest + tolerance) return;
      const band = createBand(wanted, tolerance);
      // How many rows are those of the name, and the row at which what it begins with took too many edits.
      let filled = 0;
      let failed = Number.POSITIVE_INFINITY;
      for (let at = 0; at < order.length; at++) {
        if (at % namesOfStep === 0) yield;
        filled = Math.min(filled, shared[at]!);
        if (shared[at]! >= failed) continue;
        failed = Number.POSITIVE_INFINITY;
        const name = names[order[at]!]!;
        const most = limit();
        if (name === '' || Math.abs(name.length - wanted.length) > most) continue;
        while (filled < name.length && failed > filled) {
          filled++;
          if (band.fillRow(filled, name, most) > most) failed = filled;
        }
        const distance = failed <= filled ? most + 1 : band.distance(filled);
        if (distance <= most) found(order[at]!, distance);
      }
    },
  };
}

/** The band of a table of distances from a name. */
interface Band {
  /** Fills row i, for the first i letters of a name, and returns the least distance in it. */
  fillRow(i: number, name: string, limit: number): number;
  /** From the whole name, where row i is the last. */
  distance(i: number): number;
}

function createBand(wanted: string, tolerance: number): Band {
  const { length } = wanted;
  const width = 2 * tolerance + 3;
  const letters = Int32Array.from({ length }, (_, j) => wanted.charCodeAt(j));
  const cells = new Int32Array((length + tolerance + 1) * width);
  /** The place of the distance between i letters of a name and j of the name. */
  const cell = (i: number, j: number): number => i * width + j - i + tolerance + 1;
  for (let j = 0; j <= Math.min(length, tolerance + 1); j++) cells[cell(0, j)] = j;
  return {
    fillRow(i, name, limit) {
      const first = Math.max(1, i - limit);
      const last = Math.min(length, i + limit);
      // The cells next to are read by the next rows and would hold distances of another name.
      const start = first === 1 ? i : limit + 1;
      cells[cell(i, first - 1)] = start;
      cells[cell(i, last + 1)] = limit + 1;
      const letter = name.charCodeAt(i - 1);
      const before = i > 1 ? name.charCodeAt(i - 2) : -1;
      let least = start;
      let here = cell(i, first);
      for (let j = first; j <= last; j++, here++) {
        const other = letters[j - 1]!;
        const replaced = cells[here - width]! - (letter === other ? 1 : 0);
        let edits = Math.min(cells[here - width + 1]!, cells[here - 1]!, replaced) + 1;
        if (j > 1 && before === other && letter === letters[j - 2])
          edits = Math.min(edits, cells[here - 2 * width]! + 1);
        cells[here] = edits;
        if (edits < least) least = edits;
      }
      return least;
    },
    distance: (i) => cells[cell(i, length)]!,
  };
}
