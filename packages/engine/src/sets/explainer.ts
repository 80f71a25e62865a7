import type { ModelConfig } from '@fuzzqe/core/model';
import type { Query } from '@fuzzqe/core/query';
import { type Explanation, type ExplanationOptions, explainAnswers, type SetsState } from '@fuzzqe/core/sets';
import { createSetGraphs } from './set-graphs.ts';
import { runSetGraphs, type SetsContext } from './sets-mode.ts';

/** Explains the answers to a query by fuzzy sets. */
export type Explainer = (query: Query, options: ExplanationOptions) => Promise<Explanation>;

/** The explainer of one bundle. */
export function createExplainer(
  context: SetsState & Pick<SetsContext, 'profile' | 'sessions'> & { readonly model: ModelConfig },
): Explainer {
  const { model, calibration } = context;
  const graphs = createSetGraphs({ model, calibration, run: runSetGraphs(context) });
  return (query, options) => explainAnswers(graphs, context, query, options);
}
