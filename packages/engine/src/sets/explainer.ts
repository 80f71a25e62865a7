import type { Query } from '@fuzzqe/core/query';
import { type Explanation, type ExplanationOptions, explainAnswers, type SetsState } from '@fuzzqe/core/sets';

/** Explains the answers to a query by fuzzy sets. */
export type Explainer = (query: Query, options: ExplanationOptions) => Promise<Explanation>;

/** The explainer of one bundle. */
export function createExplainer(state: SetsState): Explainer {
  return (query, options) => explainAnswers(state, query, options);
}
