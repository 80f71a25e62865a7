import { bitsOf, partBits } from './part-bits.ts';

/**
 * Turns facts that are stated along an inverse round, in place: (h, 2k+1, t) becomes (t, 2k, h).
 *
 * Shapes: triples [3 × n], flat h, r, t.
 */
export function foldInverses(triples: Int32Array): Int32Array {
  for (let i = 0; i < triples.length; i += 3) {
    if (triples[i + 1]! % 2 === 0) continue;
    const head = triples[i]!;
    triples[i] = triples[i + 2]!;
    triples[i + 1]! -= 1;
    triples[i + 2] = head;
  }
  return triples;
}

/**
 * Sorts triples by head, relation and tail, in place, and takes repetitions out; gives a view of what is left.
 *
 * Facts first go to parts of neighbouring heads, then each part is sorted by itself: writing to places all over a table of
 * gigabytes would wait for memory at each of them.
 * Memory: 12 bytes a triple while it runs. Ranges: entity ids below entityCount; relation × entityCount below 2^53.
 */
export function sortDistinct(triples: Int32Array, entityCount: number): Int32Array {
  const count = triples.length / 3;
  const shift = Math.max(0, bitsOf(entityCount) - partBits(count));
  const offsets = new Int32Array((entityCount >>> shift) + 2);
  for (let i = 0; i < triples.length; i += 3) offsets[(triples[i]! >>> shift) + 1]!++;
  for (let part = 1; part < offsets.length; part++) offsets[part]! += offsets[part - 1]!;
  const heads = new Int32Array(count);
  const keys = new Float64Array(count);
  const next = offsets.slice();
  for (let i = 0; i < triples.length; i += 3) {
    const at = next[triples[i]! >>> shift]!++;
    heads[at] = triples[i]!;
    keys[at] = triples[i + 1]! * entityCount + triples[i + 2]!;
  }
  const width = 2 ** shift;
  const ends = new Int32Array(width + 1);
  let sorted = new Float64Array(0);
  let to = 0;
  for (let part = 0; part + 1 < offsets.length; part++) {
    const [start, end] = [offsets[part]!, offsets[part + 1]!];
    const first = part * width;
    if (sorted.length < end - start) sorted = new Float64Array(end - start);
    ends.fill(0);
    for (let i = start; i < end; i++) ends[heads[i]! - first + 1]!++;
    for (let head = 1; head <= width; head++) ends[head]! += ends[head - 1]!;
    // Each place of `ends` is where the next fact of its head goes, and in the end where those of its head end.
    for (let i = start; i < end; i++) sorted[ends[heads[i]! - first]!++] = keys[i]!;
    let from = 0;
    for (let head = 0; head < width; head++) {
      const until = ends[head]!;
      sortRange(sorted, from, until);
      let previous = -1;
      for (; from < until; from++) {
        const key = sorted[from]!;
        if (key === previous) continue;
        previous = key;
        const relation = Math.floor(key / entityCount);
        triples[to++] = first + head;
        triples[to++] = relation;
        triples[to++] = key - relation * entityCount;
      }
    }
  }
  return triples.subarray(0, to);
}

/** Sorts numbers in place: most heads have few facts, for which a view and a native sort would take longer. */
function sortRange(keys: Float64Array, start: number, end: number): void {
  if (end - start > 24) {
    keys.subarray(start, end).sort();
    return;
  }
  for (let i = start + 1; i < end; i++) {
    const key = keys[i]!;
    let at = i;
    for (; at > start && keys[at - 1]! > key; at--) keys[at] = keys[at - 1]!;
    keys[at] = key;
  }
}

/** Which of two triples comes first, by head, relation and tail: negative, 0 or positive. */
export function compareTriples(left: Int32Array, i: number, right: Int32Array, j: number): number {
  return left[i]! - right[j]! || left[i + 1]! - right[j + 1]! || left[i + 2]! - right[j + 2]!;
}
