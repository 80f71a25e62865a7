import { inverseOf, type KnowledgeGraph, type RelationId } from '@fuzzqe/core';
import { type RangeOptions, rangeAt } from '../schema/ranges.ts';
import { secondTailShare } from '../schema/second-tail-share.ts';

/** How likely an entity of which no head under r is recorded still misses the one head that it should have: `(1 − φ_{r⁻¹}) ρ`. Range: [0, 1). */
export function missingHead(facts: KnowledgeGraph, relation: number, range: number): number {
  return (1 - secondTailShare(facts, inverseOf(relation as RelationId))) * range; // a relation of these facts
}

/** How likely a head still misses the one tail of a relation: `(1 − φ_r) ρ_{r⁻¹}(h)` where no tail is recorded, else 0. Range: [0, 1). */
export function missingTail(
  facts: KnowledgeGraph,
  head: number,
  relation: number,
  schema: RangeOptions = {},
): number {
  if (facts.tails(head, relation).length > 0) return 0;
  const domain = rangeAt(facts, inverseOf(relation as RelationId), head, schema); // a relation of these facts
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
