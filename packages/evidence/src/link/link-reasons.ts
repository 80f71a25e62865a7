import { type EntityId, inverseOf, type KnowledgeGraph, type RelationId } from '@fuzzqe/core';
import { namedNeighbours } from '../neighbours/neighbour-votes.ts';
import { explainRules, type RuleInstance } from '../rules/explain-rules.ts';
import type { RuleIndex } from '../rules/rule-index.ts';
import { type RangeOptions, rangeAt } from '../schema/ranges.ts';
import { secondTailShare } from '../schema/second-tail-share.ts';

/** What speaks for a link that is not recorded, and what speaks against it. */
export interface LinkReasons {
  /** Whether a declared axiom entails the link. */
  readonly entailed: boolean;
  /** The rules that name the tail, best first, each with facts that let it: at most 3. */
  readonly rules: readonly RuleInstance[];
  /** The heads that are most similar to that of the link and have its tail recorded, most similar first: at most 3. */
  readonly neighbours: readonly EntityId[];
  /** What speaks against the link. */
  readonly against: readonly Objection[];
}

/** A reason against a link: a recorded fact that mostly is the only one of its kind, or a tail of an unusual kind. */
export type Objection =
  /** The head has other tails, and heads of the relation hardly ever have two; or the tail has other heads, likewise. */
  | {
      readonly kind: 'other tail' | 'other head';
      readonly entities: readonly EntityId[];
      readonly share: number;
    }
  /** Entities of the kind of the tail are hardly ever tails of the relation. */
  | { readonly kind: 'unusual tail'; readonly share: number };

const mostNamed = 3;
/** From so few on a second tail, or such a tail, is unusual. */
const unusual = 0.05;

/** Finds what speaks for links of one head and relation, and against. */
export function createLinkReasons(
  facts: KnowledgeGraph,
  rules: RuleIndex,
  schema: RangeOptions = {},
  entailed?: Pick<KnowledgeGraph, 'has'>,
): (head: number, relation: number, tail: number) => LinkReasons {
  return (head, relation, tail) => {
    const inverse = inverseOf(relation as RelationId); // a relation of these facts
    const against: Objection[] = [];
    const object = (kind: 'other tail' | 'other head', others: Int32Array, share: number): void => {
      if (others.length === 0 || share > unusual) return;
      // Tails and heads are entities of the graph.
      against.push({ kind, entities: Array.from(others.subarray(0, mostNamed)) as EntityId[], share });
    };
    object('other tail', facts.tails(head, relation), secondTailShare(facts, relation));
    object('other head', facts.tails(tail, inverse), secondTailShare(facts, inverse));
    const share = rangeAt(facts, relation, tail, schema);
    if (share <= unusual) against.push({ kind: 'unusual tail', share });
    return {
      entailed: entailed?.has(head, relation, tail) ?? false,
      rules: explainRules(rules, facts, head, relation, tail, mostNamed),
      neighbours: namedNeighbours(facts, head, relation)(tail),
      against,
    };
  };
}
