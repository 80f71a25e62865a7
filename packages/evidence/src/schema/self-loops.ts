import { type KnowledgeGraph, keptBy } from '@fuzzqe/core';
import { tailsOf } from './attribute-counter.ts';

/** How many facts (e, r, e) are recorded of each relation. Shapes: → [|R|]. Kept as long as the graph's index is. */
export const selfLoops: (index: KnowledgeGraph['index']) => Int32Array = keptBy((index) => {
  const { headOffsets, groupRelations, relationOffsets } = index;
  const loops = new Int32Array(relationOffsets.length - 1);
  for (let head = 0; head + 1 < headOffsets.length; head += 1)
    for (let group = headOffsets[head]!; group < headOffsets[head + 1]!; group += 1) {
      const relation = groupRelations[group]!;
      // A loop is one of both directions.
      if ((relation & 1) === 1 || !includes(tailsOf(index, head, relation), head)) continue;
      loops[relation]! += 1;
      loops[relation + 1]! += 1;
    }
  return loops;
});

/** Whether an entity may be its own tail of a relation: whether a fact (e, r, e) is recorded. False for a relation that the graph lacks. */
export function mayBeReflexive({ index }: KnowledgeGraph, relation: number): boolean {
  return (selfLoops(index)[relation] ?? 0) > 0;
}

/** Whether ascending numbers include one. */
function includes(ascending: Int32Array, wanted: number): boolean {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return ascending[low] === wanted;
}
