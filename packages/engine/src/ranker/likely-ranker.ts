import type { DerivedGraph } from '../sessions/rank-all.ts';
import { createSessionCache } from '../sessions/session-cache.ts';
import { createTailsMode } from '../sets/tails-mode.ts';
import { createLocalRanker, type LocalRankerOptions, type RankedModel } from './local-ranker.ts';
import type { Ranker } from './ranker.ts';
import { rankerGrowth } from './ranker-growth.ts';

/** A model whose links can be computed among some entities. */
export interface LikelyModel extends RankedModel {
  /** `linksAmongOf` of `@fuzzqe/engine/derived`; undefined for a small model. */
  readonly linksAmong: DerivedGraph | undefined;
}

/**
 * A ranker as `createLocalRanker`, which answers by the likely tails of links where few answers are wanted.
 *
 * Scripts that never import it leave the code out, as they do with `rankerGrowth`.
 */
export function createLikelyRanker(bundle: LikelyModel, options: LocalRankerOptions): Ranker {
  const { linksAmong, growth } = bundle;
  if (linksAmong === undefined || options.sessions.openDerived === undefined)
    return createLocalRanker(bundle, options);
  const sessions = createSessionCache(options.sessions, bundle.source);
  const sets = createTailsMode(linksAmong, () => sessions.get(linksAmong));
  const ranker = createLocalRanker({ ...bundle, growth: { ...rankerGrowth, ...growth, sets } }, options);
  return {
    ...ranker,
    get runtime() {
      return ranker.runtime;
    },
    get ready() {
      return ranker.ready;
    },
    async warmUp(mode) {
      await ranker.warmUp(mode);
      if (mode !== 'embedding') await sessions.get(linksAmong);
    },
    async close() {
      // Runs end first.
      await ranker.close();
      await sessions.close();
    },
  };
}
