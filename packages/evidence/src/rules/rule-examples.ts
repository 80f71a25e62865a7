import type { KnowledgeGraph } from '@fuzzqe/core';
import { createPathScratch, edgesPerLevel, entitiesOfPath, expandPath } from './expand-path.ts';
import type { Rule } from './rule-set.ts';

/** After how many heads no further example is sought. */
const mostHeads = 10_000;

/**
 * Finds recorded facts that a rule predicts, each of another head, heads ascending.
 *
 * An example is X, Z₁, …, Y of a path, or X, d of a constant rule. Ranges: `most` ≥ 0; fewer are found where fewer exist among the first
 * 10 000 heads that have the body's first fact.
 *
 * @example
 * for (const rule of readRules(text, graph).rules) console.log(ruleExamples(graph, rule, 3));
 */
export function ruleExamples(facts: KnowledgeGraph, rule: Rule, most: number): number[][] {
  return rule.kind === 'path' ? pathExamples(facts, rule, most) : constantExamples(facts, rule, most);
}

function pathExamples(
  facts: KnowledgeGraph,
  { relation, path }: Extract<Rule, { readonly kind: 'path' }>,
  most: number,
): number[][] {
  const relations = Int32Array.from(path);
  const scratch = createPathScratch();
  const found: number[][] = [];
  const base = (path.length - 1) * edgesPerLevel;
  for (const head of facts.headsOf(path[0]!).subarray(0, mostHeads)) {
    if (found.length >= most) break;
    const recorded = facts.tails(head, relation);
    if (recorded.length === 0) continue;
    expandPath(facts.rows, scratch, head, relations, 0, path.length);
    const ends = scratch.entities.subarray(base, base + scratch.count);
    const end = ends.findIndex((tail) => recorded.includes(tail));
    if (end >= 0) found.push(entitiesOfPath(scratch, head, path.length, end));
  }
  return found;
}

function constantExamples(
  facts: KnowledgeGraph,
  { relation, tail, body }: Extract<Rule, { readonly kind: 'constant' }>,
  most: number,
): number[][] {
  const found: number[][] = [];
  for (const head of facts.tails(body.tail, body.relation ^ 1).subarray(0, mostHeads)) {
    if (found.length >= most) break;
    if (head !== tail && facts.has(head, relation, tail)) found.push([head, body.tail]);
  }
  return found;
}
