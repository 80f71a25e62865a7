import { inverseOf, type KnowledgeGraph, type RelationId } from '@fuzzqe/core';
import { type RangeOptions, rangeOf } from '../schema/ranges.ts';
import { secondTailShare } from '../schema/second-tail-share.ts';

/**
 * How likely each entity still misses the one head that it should have under a relation.
 *
 * `(1 − φ_{r⁻¹}) ρ_r(e)` where no head of e is recorded, else 0: a relation that gives an entity one head misses it where none is recorded.
 * Shapes: → [|E|], the caller's own. Range: [0, 1).
 */
export function missingHeads(
  facts: KnowledgeGraph,
  relation: number,
  schema: RangeOptions = {},
): Float32Array {
  const inverse = inverseOf(relation as RelationId); // a relation of these facts
  const single = 1 - secondTailShare(facts, inverse);
  return rangeOf(facts, relation, schema).map((range, id) =>
    facts.tails(id, inverse).length === 0 ? single * range : 0,
  );
}

/** How likely a head still misses the one tail of a relation: `(1 − φ_r) ρ_{r⁻¹}(h)` where no tail is recorded, else 0. Range: [0, 1). */
export function missingTail(
  facts: KnowledgeGraph,
  head: number,
  relation: number,
  schema: RangeOptions = {},
): number {
  if (facts.tails(head, relation).length > 0) return 0;
  const domain = rangeOf(facts, inverseOf(relation as RelationId), schema)[head]!; // a relation of these facts
  return (1 - secondTailShare(facts, relation)) * domain;
}

/**
 * What is added to the logit of a link when a share s′ of the hidden facts is recorded: `ln((1 − s′) / (1 − s′ m))`.
 *
 * m: how likely a fact that excludes all others is missing. With m = 1 what was recorded since says nothing of this link; with m = 0 a share s′ of
 * what was missing is missing no more.
 */
export const recordedShift = (recordedShare: number, missing: number): number =>
  Math.log((1 - recordedShare) / (1 - recordedShare * missing));
