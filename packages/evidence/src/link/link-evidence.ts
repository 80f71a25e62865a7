import { type FactRows, type KnowledgeGraph, keptBy } from '@fuzzqe/core';
import { neighbourVotes } from '../neighbours/neighbour-votes.ts';
import { applyRules } from '../rules/apply-rules.ts';
import type { RuleIndex } from '../rules/rule-index.ts';

/** The entities that rules or similar heads name for a link, with what they say of each. Shapes: [n] each. */
export interface NamedTails {
  /** Ascending, without recorded tails. */
  readonly ids: Int32Array;
  /** The share of the votes of similar heads; 0 where they do not name the entity. */
  readonly votes: Float32Array;
  /** The confidence of the best rule, and of the best six together; 0 where no rule names the entity. */
  readonly bestRule: Float32Array;
  readonly joinedRules: Float32Array;
}

/** How many numbers are kept for a graph and its rules: hubs are asked again and again. */
const mostKept = 2 ** 19;

interface Kept {
  readonly links: Map<string, NamedTails>;
  numbers: number;
}

/** Of each graph by its rules: two sets of rules name different tails. */
const keptOf = keptBy((_: FactRows) => new WeakMap<RuleIndex, Kept>());

/** The entities that the facts name for a link (h, r), through rules and through similar heads. */
export function namedTails(
  facts: KnowledgeGraph,
  rules: RuleIndex,
  head: number,
  relation: number,
): NamedTails {
  const byRules = keptOf(facts.rows);
  const kept = byRules.get(rules) ?? { links: new Map<string, NamedTails>(), numbers: 0 };
  byRules.set(rules, kept);
  const key = `${head} ${relation}`;
  const earlier = kept.links.get(key);
  if (earlier !== undefined) {
    // A map keeps the order in which its entries were added: the first has not been used for longest.
    kept.links.delete(key);
    kept.links.set(key, earlier);
    return earlier;
  }
  const named = joined(facts, rules, head, relation);
  kept.links.set(key, named);
  kept.numbers += 4 * named.ids.length + 1;
  for (const [oldest, { ids }] of kept.links) {
    if (kept.numbers <= mostKept) break;
    kept.links.delete(oldest);
    kept.numbers -= 4 * ids.length + 1;
  }
  return named;
}

function joined(facts: KnowledgeGraph, rules: RuleIndex, head: number, relation: number): NamedTails {
  const votes = neighbourVotes(facts, head, relation);
  const fired = applyRules(rules, facts, head, relation);
  const most = votes.ids.length + fired.ids.length;
  const ids = new Int32Array(most);
  const [shares, best, together] = [new Float32Array(most), new Float32Array(most), new Float32Array(most)];
  let [count, v, f] = [0, 0, 0];
  while (v < votes.ids.length || f < fired.ids.length) {
    const voted = votes.ids[v] ?? Number.POSITIVE_INFINITY;
    const named = fired.ids[f] ?? Number.POSITIVE_INFINITY;
    ids[count] = Math.min(voted, named);
    if (voted <= named) shares[count] = votes.shares[v++]!;
    if (named <= voted) {
      best[count] = fired.best[f]!;
      together[count] = fired.joined[f++]!;
    }
    count += 1;
  }
  return {
    ids: ids.subarray(0, count),
    votes: shares.subarray(0, count),
    bestRule: best.subarray(0, count),
    joinedRules: together.subarray(0, count),
  };
}
