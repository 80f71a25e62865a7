import { createGraphLinks } from '@fuzzqe/evidence';
import { createLifetime } from './lifetime.ts';
import type { OfEpoch, Ranker } from './ranker.ts';
import { runRequests } from './run-requests.ts';
import { createSetsContexts, type SetsLimits, type SetsSource } from './sets-context.ts';

/** A ranker that answers by fuzzy sets in this thread, from a graph and its evidence without a model. */
export function createGraphRanker(
  graph: Omit<SetsSource, 'scoresOf' | 'growth'>,
  limits: SetsLimits,
): Ranker {
  const contexts = createSetsContexts(
    { ...graph, scoresOf: undefined, growth: { graphLinks: createGraphLinks } },
    limits,
  );
  const { cache } = contexts;
  const contextAt = (which: OfEpoch) => ({ ...contexts.at(which), model: undefined });
  const lifetime = createLifetime(async () => {});
  return {
    runtime: 'rules, schema and similar entities',
    plan: 'auto',
    get ready() {
      return lifetime.open;
    },
    ...(cache === undefined ? {} : { cache }),
    rank: (batch, callLimits = {}) => lifetime.during(() => runRequests(contextAt, batch, callLimits)),
    follow: (facts) => lifetime.during(async () => contexts.follow(facts)),
    warmUp: () => lifetime.during(async () => {}),
    close: () => lifetime.close(),
  };
}
