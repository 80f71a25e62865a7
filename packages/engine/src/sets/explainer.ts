import type { EntityId, RelationId } from '@fuzzqe/core';
import { nodesOf, type Query } from '@fuzzqe/core/query';
import { type Explanation, type ExplanationOptions, explainAnswers, type SetsState } from '@fuzzqe/core/sets';
import type { LinkReasons } from '@fuzzqe/evidence';

/** A predicted link of a derivation, with what speaks for it and against it. */
export interface ReasonedLink extends LinkReasons {
  readonly head: EntityId;
  readonly relation: RelationId;
  readonly tail: EntityId;
}

/** Why entities answer a query, and why the links in it are predicted. */
export interface ReasonedExplanation extends Explanation {
  /** Each predicted link of the derivations, once. */
  readonly reasons: readonly ReasonedLink[];
}

/** Explains the answers to a query by fuzzy sets. */
export type Explainer = (query: Query, options: ExplanationOptions) => Promise<ReasonedExplanation>;

/** The explainer of one bundle. */
export function createExplainer(
  state: SetsState,
  reasonsOf: (head: number, relation: number, tail: number) => LinkReasons,
): Explainer {
  return async (query, options) => {
    const explanation = await explainAnswers(state, query, options);
    const reasons = new Map<string, ReasonedLink>();
    for (const node of explanation.derivations.flatMap((derivation) => nodesOf(derivation))) {
      if (node.op !== 'project' || node.link === undefined || node.link.recorded) continue;
      const { head, relation } = node.link;
      const key = linkKey(head, relation, node.entity);
      if (!reasons.has(key))
        reasons.set(key, { head, relation, tail: node.entity, ...reasonsOf(head, relation, node.entity) });
    }
    return { ...explanation, reasons: [...reasons.values()] };
  };
}

/** One text for one link. */
export const linkKey = (head: number, relation: number, tail: number): string =>
  `${head} ${relation} ${tail}`;
