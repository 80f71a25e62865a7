import type { AdjacencyIndex } from '../kg/adjacency.ts';
import { asRelationId, inverseOf } from '../kg/ids.ts';
import { keptByIndex } from '../kg/kept-by-index.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import type { Calibration } from './calibration.ts';

/** Where so large a share of the entities with a head has a second one, a head says nothing against another. */
const usualShare = 0.125;

/**
 * κ_r of (9): how much less likely another head is for an entity that has a recorded one under r.
 *
 * `κ_r = min(1, 8 (n₂ + 1) / (n₁ + 1))^λ`: n₁ entities have a recorded head under r, n₂ of them two or more, so that a relation
 * whose tails have one head each takes what is recorded for evidence against other heads.
 * Ranges: (0, 1], in single precision.
 */
export function exclusivityOf(
  { exclusivity }: Pick<Calibration, 'exclusivity'>,
  { index }: Pick<KnowledgeGraph, 'index'>,
  relation: number,
): number {
  const known = shares(index);
  // Counted when first asked for: a Worker's first answer waits for no other relation.
  if (Number.isNaN(known[relation])) known[relation] = secondHeads(index, relation);
  return Math.fround(Math.min(1, known[relation]! / usualShare) ** exclusivity);
}

/** By relations, NaN until counted. */
const shares = keptByIndex(({ relationOffsets }) =>
  new Float64Array(relationOffsets.length - 1).fill(Number.NaN),
);

/** (n₂ + 1) / (n₁ + 1) of a relation. */
function secondHeads(
  { relationOffsets, relationGroups, groupOffsets }: AdjacencyIndex,
  relation: number,
): number {
  const inverse = inverseOf(asRelationId(relation));
  const [first, end] = [relationOffsets[inverse]!, relationOffsets[inverse + 1]!];
  let several = 0;
  for (let at = first; at < end; at += 1) {
    const group = relationGroups[at]!;
    if (groupOffsets[group + 1]! - groupOffsets[group]! > 1) several += 1;
  }
  return (several + 1) / (end - first + 1);
}

/** The entities that have a recorded head under a relation. */
export function tailsOfRelation(facts: Pick<KnowledgeGraph, 'headsOf'>, relation: number): Int32Array {
  return facts.headsOf(inverseOf(asRelationId(relation)));
}
