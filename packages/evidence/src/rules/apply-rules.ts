import type { KnowledgeGraph } from '@fuzzqe/core';
import { edgesPerLevel, expandPath, longestPath } from './expand-path.ts';
import { matchingAttributes } from './matching-attributes.ts';
import type { RuleIndex } from './rule-index.ts';
import {
  leftOut,
  mostConfidences,
  nameConstant,
  nameEnds,
  type RuleScratch,
  reserveAttributes,
  ruleScratchOf,
  slotOf,
} from './rule-scratch.ts';

/** After how many edges looked at a link begins no further path rule. */
export const edgesPerLink: number = 2 ** 13;

/** The highest confidence that a noisy-or counts with. */
export const surest = 0.999;

/** The entities that the rules of a link name. */
export interface FiredRules {
  /** [n], ascending: neither the head nor recorded tails. */
  readonly ids: Int32Array;
  /** [n]: the confidence of the best rule that names the entity. */
  readonly best: Float32Array;
  /** [n]: `1 − Π (1 − min(c, 0.999))` over the six highest confidences c of rules that name the entity, highest first. */
  readonly joined: Float32Array;
}

/**
 * Finds the entities that rules name as tails of a link, with how much the rules are to be trusted.
 *
 * 1. Path rules of the relation fire in order: confidence descending, then shorter paths, then the relations of the path ascending,
 *    compared from the first. Before each rule, the link stops if the rules before it have looked at 2^13 edges or more. A rule
 *    follows its path from the head as `expandPath` says: level by level over lists of paths, tails ascending, at most 1024 edges
 *    looked at a level, only edges whose tail is none of the path's entities. An edge counts as looked at whether it is kept or not.
 *    Each end of the last level is named once by the rule.
 * 2. Constant rules of the relation: each rule r(X, c) ← q(X, d) with (head, q, d) recorded and c ≠ head names c. No bound applies.
 * 3. The head and the recorded tails of the link are left out.
 *
 * Confidences are `hits / (predictions + 5)` in float64; `best` and `joined` are computed in float64, the product from the highest
 * confidence on, and rounded to float32. The result depends on the facts and the set of rules alone.
 * Shapes: `ids`, `best` and `joined` [n], fresh arrays. Ranges: the facts have the sizes of the graph that the rules are of; a head or
 * relation out of range names nothing.
 *
 * @example
 * const { ids, best, joined } = applyRules(rules, graph, 5, 0);
 */
export function applyRules(
  rules: RuleIndex,
  facts: KnowledgeGraph,
  head: number,
  relation: number,
): FiredRules {
  const isLink = head >= 0 && head < facts.entityCount && relation >= 0 && relation < rules.set.relationCount;
  if (!isLink) return { ids: new Int32Array(), best: new Float32Array(), joined: new Float32Array() };
  const { index, rows } = facts;
  const scratch = ruleScratchOf(index);
  const { paths, mark } = scratch;
  const tails = facts.tails(head, relation);
  mark[head] = leftOut;
  for (let i = 0; i < tails.length; i++) mark[tails[i]!] = leftOut;
  scratch.count = 0;

  const { pathLengths, pathRelations, pathConfidences, pathOffsets } = rules;
  const lastPath = pathOffsets[relation + 1]!;
  for (let path = pathOffsets[relation]!, looked = 0; path < lastPath && looked < edgesPerLink; path++) {
    const length = pathLengths[path]!;
    looked += expandPath(rows, paths, head, pathRelations, longestPath * path, length);
    const ends = (length - 1) * edgesPerLevel;
    nameEnds(scratch, path, ends, ends + paths.count, pathConfidences[path]!);
  }

  const { attributeOffsets, constantOffsets, constantTails, constantConfidences } = rules;
  const attributes = reserveAttributes(
    scratch,
    attributeOffsets[relation + 1]! - attributeOffsets[relation]!,
  );
  const matching = matchingAttributes(rules, rows, head, relation, attributes);
  for (let i = 0; i < matching; i++) {
    const attribute = attributes[i]!;
    const last = constantOffsets[attribute + 1]!;
    for (let rule = constantOffsets[attribute]!; rule < last; rule++)
      nameConstant(scratch, constantTails[rule]!, constantConfidences[rule]!);
  }

  const fired = gather(scratch);
  mark[head] = 0;
  for (let i = 0; i < tails.length; i++) mark[tails[i]!] = 0;
  return fired;
}

/** The entities that were named, whose marks it takes back. */
function gather({ entities, count, mark, confidences, counts }: RuleScratch): FiredRules {
  const ids = entities.slice(0, count).sort();
  const best = new Float32Array(count);
  const joined = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const slot = slotOf(mark[ids[i]!]!);
    const first = slot * mostConfidences;
    let rest = 1;
    for (let at = first; at < first + counts[slot]!; at++) rest *= 1 - Math.min(confidences[at]!, surest);
    best[i] = confidences[first]!;
    joined[i] = 1 - rest;
    mark[ids[i]!] = 0;
  }
  return { ids, best, joined };
}
