import type { EntityId, RelationId } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import {
  type Derivation,
  type Explanation,
  type ExplanationOptions,
  explainAnswers,
  type SetsState,
} from '@fuzzqe/core/sets';
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
    const visit = (node: Derivation): void => {
      switch (node.op) {
        case 'entity':
          return;
        case 'project': {
          const { link, from, entity: tail } = node;
          if (from !== undefined) visit(from);
          if (link === undefined || link.recorded) return;
          const { head, relation } = link;
          const key = linkKey(head, relation, tail);
          if (!reasons.has(key))
            reasons.set(key, { head, relation, tail, ...reasonsOf(head, relation, tail) });
          return;
        }
        case 'not':
          visit(node.operand);
          return;
        default:
          node.operands.forEach(visit);
      }
    };
    explanation.derivations.forEach(visit);
    return { ...explanation, reasons: [...reasons.values()] };
  };
}

/** One text for one link. */
export const linkKey = (head: number, relation: number, tail: number): string =>
  `${head} ${relation} ${tail}`;
