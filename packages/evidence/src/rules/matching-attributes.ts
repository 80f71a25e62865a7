import type { FactRows } from '@fuzzqe/core';
import type { RuleIndex } from './rule-index.ts';

/**
 * Writes to `found` the numbers, ascending, of a relation's attributes (q, d) that are recorded for a head, and returns how many.
 *
 * Shapes: `found` has room for all attributes of the relation.
 */
export function matchingAttributes(
  rules: RuleIndex,
  { headStarts, headEnds, groupRelations, groupStarts, groupEnds, tails }: FactRows,
  head: number,
  relation: number,
  found: Int32Array,
): number {
  const { attributeOffsets, attributeRelations, attributeTails } = rules;
  let attribute = attributeOffsets[relation]!;
  const end = attributeOffsets[relation + 1]!;
  let group = headStarts[head]!;
  const lastGroup = headEnds[head]!;
  let count = 0;
  while (attribute < end && group < lastGroup) {
    const wanted = attributeRelations[attribute]!;
    const there = groupRelations[group]!;
    if (there < wanted) {
      group++;
      continue;
    }
    let edge = groupStarts[group]!;
    const lastEdge = groupEnds[group]!;
    const isThere = there === wanted;
    for (; attribute < end && attributeRelations[attribute] === wanted; attribute++) {
      if (!isThere) continue;
      const tail = attributeTails[attribute]!;
      edge = firstAtLeast(tails, tail, edge, lastEdge);
      if (edge < lastEdge && tails[edge] === tail) found[count++] = attribute;
    }
  }
  return count;
}

/** The first place from `from` on whose value is at least `wanted`, in doubling steps and then by halves. */
export function firstAtLeast(values: Int32Array, wanted: number, from: number, to: number): number {
  let low = from;
  let step = 1;
  while (low + step <= to && values[low + step - 1]! < wanted) {
    low += step;
    step *= 2;
  }
  let high = Math.min(to, low + step - 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
