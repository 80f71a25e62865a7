import { checkId, type KnowledgeGraph, keptBy } from '@fuzzqe/core';

/** How many heads relations have. Shapes: [|R|] each. */
interface HeadCounts {
  /** n₁: heads with a tail. */
  readonly withTail: Int32Array;
  /** n₂: heads with two tails or more. */
  readonly withSecond: Int32Array;
}

/** The heads of each relation, and the heads with a second tail. Kept as long as the graph's index is. */
export const headCounts: (index: KnowledgeGraph['index']) => HeadCounts = keptBy(
  ({ groupRelations, groupOffsets, relationOffsets }) => {
    const relationCount = relationOffsets.length - 1;
    const [withTail, withSecond] = [new Int32Array(relationCount), new Int32Array(relationCount)];
    for (let group = 0; group < groupRelations.length; group += 1) {
      const relation = groupRelations[group]!;
      withTail[relation]! += 1;
      if (groupOffsets[group + 1]! - groupOffsets[group]! > 1) withSecond[relation]! += 1;
    }
    return { withTail, withSecond };
  },
);

/**
 * The share of a relation's heads that have a second tail: small where the relation is functional.
 *
 * `(n₂ + 1) / (n₁ + 1)`, n₁ heads with a tail and n₂ with two or more. Range: (0, 1]; 1 for a relation without facts.
 * Of the inverse: `secondTailShare(facts, relation ^ 1)`.
 *
 * @throws FuzzError `range`: a relation that the graph does not have.
 */
export function secondTailShare(facts: KnowledgeGraph, relation: number): number {
  checkId('relation', relation, facts.relationCount, 'relation');
  const { withTail, withSecond } = headCounts(facts.index);
  return (withSecond[relation]! + 1) / (withTail[relation]! + 1);
}
