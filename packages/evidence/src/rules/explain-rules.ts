import type { KnowledgeGraph } from '@fuzzqe/core';
import { edgesPerLink } from './apply-rules.ts';
import { edgesPerLevel, entitiesOfPath, expandPath, longestPath } from './expand-path.ts';
import { matchingAttributes } from './matching-attributes.ts';
import type { RuleIndex } from './rule-index.ts';
import { reserveAttributes, ruleScratchOf } from './rule-scratch.ts';
import { compareRules, confidenceOf, type Rule } from './rule-set.ts';

/** A rule that names the tail of a link, with the facts that let it. */
export interface RuleInstance {
  readonly rule: Rule;
  /** Of the rule. */
  readonly confidence: number;
  /** X, Z₁, …, Y of a path, the first found; X, d of a constant. */
  readonly entities: readonly number[];
}

/**
 * Finds the rules that name a tail of a link, best first: the rules that `applyRules` lets fire, in the order of `compareRules`.
 *
 * The tail may be recorded. Ranges: `most` ≥ 0, how many rules are returned at most.
 *
 * @example
 * const reasons = explainRules(rules, graph, 5, 0, 4, 3);
 */
export function explainRules(
  rules: RuleIndex,
  facts: KnowledgeGraph,
  head: number,
  relation: number,
  tail: number,
  most: number,
): RuleInstance[] {
  const isLink = head >= 0 && head < facts.entityCount && relation >= 0 && relation < rules.set.relationCount;
  if (!isLink || head === tail) return [];
  return [
    ...pathInstances(rules, facts, head, relation, tail, most),
    ...constantInstances(rules, facts, head, relation, tail),
  ]
    .sort((a, b) => compareRules(a.rule, b.rule))
    .slice(0, most);
}

function pathInstances(
  rules: RuleIndex,
  { index, rows }: KnowledgeGraph,
  head: number,
  relation: number,
  tail: number,
  most: number,
): RuleInstance[] {
  const { pathOffsets, pathLengths, pathRelations, pathRules } = rules;
  const { paths } = ruleScratchOf(index);
  const found: RuleInstance[] = [];
  const last = pathOffsets[relation + 1]!;
  let looked = 0;
  for (let path = pathOffsets[relation]!; path < last && looked < edgesPerLink; path++) {
    if (found.length >= most) break;
    const length = pathLengths[path]!;
    looked += expandPath(rows, paths, head, pathRelations, longestPath * path, length);
    const ends = (length - 1) * edgesPerLevel;
    const end = paths.entities.subarray(ends, ends + paths.count).indexOf(tail);
    if (end < 0) continue;
    const rule = rules.set.rules[pathRules[path]!]!;
    found.push({
      rule,
      confidence: confidenceOf(rule),
      entities: entitiesOfPath(paths, head, length, end),
    });
  }
  return found;
}

function constantInstances(
  rules: RuleIndex,
  { index, rows }: KnowledgeGraph,
  head: number,
  relation: number,
  tail: number,
): RuleInstance[] {
  const { attributeOffsets, attributeTails, constantOffsets, constantTails, constantRules } = rules;
  const attributes = reserveAttributes(
    ruleScratchOf(index),
    attributeOffsets[relation + 1]! - attributeOffsets[relation]!,
  );
  const matching = matchingAttributes(rules, rows, head, relation, attributes);
  const found: RuleInstance[] = [];
  for (const attribute of attributes.subarray(0, matching)) {
    for (let at = constantOffsets[attribute]!; at < constantOffsets[attribute + 1]!; at++) {
      if (constantTails[at] !== tail) continue;
      const rule = rules.set.rules[constantRules[at]!]!;
      found.push({ rule, confidence: confidenceOf(rule), entities: [head, attributeTails[attribute]!] });
    }
  }
  return found;
}
