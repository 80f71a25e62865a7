import type { AdjacencyIndex } from '../kg/adjacency.ts';
import { asRelationId, inverseOf } from '../kg/ids.ts';
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
  facts: Pick<KnowledgeGraph, 'index' | 'relationCount'>,
  relation: number,
): number {
  const known = shares.get(facts.index) ?? secondHeads(facts);
  shares.set(facts.index, known);
  return Math.fround(Math.min(1, known[relation]! / usualShare) ** exclusivity);
}

const shares = new WeakMap<AdjacencyIndex, Float64Array>();

/** (n₂ + 1) / (n₁ + 1) of every relation. */
function secondHeads({
  index,
  relationCount,
}: Pick<KnowledgeGraph, 'index' | 'relationCount'>): Float64Array {
  const { groupRelations, groupOffsets } = index;
  const some = new Int32Array(relationCount);
  const several = new Int32Array(relationCount);
  groupRelations.forEach((inverse, group) => {
    const relation = inverseOf(asRelationId(inverse));
    some[relation]! += 1;
    if (groupOffsets[group + 1]! - groupOffsets[group]! > 1) several[relation]! += 1;
  });
  return Float64Array.from(some, (count, relation) => (several[relation]! + 1) / (count + 1));
}

/** The entities that have a recorded head under a relation. */
export function tailsOfRelation(facts: Pick<KnowledgeGraph, 'headsOf'>, relation: number): Int32Array {
  return facts.headsOf(inverseOf(asRelationId(relation)));
}
