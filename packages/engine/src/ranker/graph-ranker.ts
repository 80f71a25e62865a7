import { createLifetime } from './lifetime.ts';
import type { Ranker } from './ranker.ts';
import { runRequests } from './run-requests.ts';
import { createSetsContext, type SetsLimits, type SetsSource } from './sets-context.ts';

/** A ranker that answers by fuzzy sets in this thread, from a graph and its evidence without a model. */
export function createGraphRanker(graph: Omit<SetsSource, 'scores'>, limits: SetsLimits): Ranker {
  const { cache, ...ofSets } = createSetsContext({ ...graph, scores: undefined }, limits);
  const context = { ...ofSets, model: undefined };
  const lifetime = createLifetime(async () => {});
  return {
    runtime: 'rules, schema and similar entities',
    plan: 'auto',
    get ready() {
      return lifetime.open;
    },
    ...(cache === undefined ? {} : { cache }),
    rank: (batch, callLimits = {}) => lifetime.during(() => runRequests(context, batch, callLimits)),
    warmUp: () => lifetime.during(async () => {}),
    close: () => lifetime.close(),
  };
}
