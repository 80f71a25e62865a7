import { type KnowledgeGraph, keptBy, rowsOf } from '@fuzzqe/core';
import { createAttributeCounter, headsOf } from './attribute-counter.ts';
import {
  leastRange,
  type RangeOptions,
  type RangeShares,
  readTypeRelations,
  shareOfClass,
  sharesOf,
} from './ranges.ts';

/** How many relations keep their shares: each has a number a relation, and one a class of its tails. */
const mostKept = 512;

/** Shares by the relation and the type relations, the shares used last at the end. */
const keptShares = keptBy((_: KnowledgeGraph['index']) => new Map<string, RangeShares>());

/**
 * `ρ_r(e)` of `rangeOf` for some entities, without a table of all entities.
 *
 * Shapes: ids [n] → [n], the caller's own. Range: [0.001, 1].
 * Time: the relations and the classes of the entities; for a relation without kept shares, those of its tails, too.
 *
 * @throws FuzzError `range`: as `rangeOf`.
 */
export function rangesAt(
  facts: KnowledgeGraph,
  relation: number,
  ids: Int32Array,
  options: RangeOptions = {},
): Float32Array {
  const typeRelations = readTypeRelations(facts, options.typeRelations);
  const { ofRelation, ofClass } = keptSharesOf(facts, relation, typeRelations);
  const base = rowsOf(facts.index);
  const { headStarts, headEnds, groupRelations, groupStarts, groupEnds, tails } = facts.rows;
  const ranges = new Float32Array(ids.length);
  for (let i = 0; i < ids.length; i += 1) {
    const entity = ids[i]!;
    let best = leastRange;
    for (let group = headStarts[entity]!; group < headEnds[entity]!; group += 1) {
      const attribute = groupRelations[group]!;
      best = Math.max(best, ofRelation[attribute]!);
      if (!typeRelations.includes(attribute)) continue;
      for (let edge = groupStarts[group]!; edge < groupEnds[group]!; edge += 1)
        best = Math.max(best, shareOfClass(base, attribute, tails[edge]!, ofClass));
    }
    ranges[i] = best;
  }
  return ranges;
}

function keptSharesOf(
  facts: KnowledgeGraph,
  relation: number,
  typeRelations: readonly number[],
): RangeShares {
  const kept = keptShares(facts.index);
  const name = `${relation}:${typeRelations.join()}`;
  const attributes = () => createAttributeCounter(facts, typeRelations)(headsOf(facts.index, relation ^ 1));
  const shares = kept.get(name) ?? sharesOf(facts, relation, attributes());
  kept.delete(name);
  kept.set(name, shares);
  if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
  return shares;
}
