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
 * Memory: 8 bytes a triple while it runs. Ranges: entity ids below entityCount; relation × entityCount below 2^53.
 */
export function sortDistinct(triples: Int32Array, entityCount: number): Int32Array {
  const offsets = new Int32Array(entityCount + 1);
  for (let i = 0; i < triples.length; i += 3) offsets[triples[i]! + 1]!++;
  for (let head = 0; head < entityCount; head++) offsets[head + 1]! += offsets[head]!;
  const keys = new Float64Array(triples.length / 3);
  const next = offsets.slice();
  for (let i = 0; i < triples.length; i += 3) {
    keys[next[triples[i]!]!++] = triples[i + 1]! * entityCount + triples[i + 2]!;
  }
  let to = 0;
  for (let head = 0; head < entityCount; head++) {
    sortRange(keys, offsets[head]!, offsets[head + 1]!);
    let previous = -1;
    for (let i = offsets[head]!; i < offsets[head + 1]!; i++) {
      const key = keys[i]!;
      if (key === previous) continue;
      previous = key;
      const relation = Math.floor(key / entityCount);
      triples[to++] = head;
      triples[to++] = relation;
      triples[to++] = key - relation * entityCount;
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
