import { createGraphLinks } from '@fuzzqe/evidence';
import { foldIn } from '../folding/fold-in.ts';
import { grownLinkScores } from '../sets/grown-link-scores.ts';
import type { CreateSetsMode } from '../sets/sets-mode.ts';

/** What ranks a graph that has more entities and relations than its model. */
export interface RankerGrowth {
  readonly linkScores: typeof grownLinkScores;
  readonly foldIn: typeof foldIn;
  /** Learns relations that came later. */
  readonly graphLinks: typeof createGraphLinks;
  /** Answers by fuzzy sets, from the links of a graph. Default: `createSetsMode`. */
  readonly sets?: CreateSetsMode | undefined;
}

/**
 * Lets a ranker follow a graph that grows.
 *
 * A script that never imports it leaves the code out: Workers and pages whose facts stay as opened are smaller.
 */
export const rankerGrowth: RankerGrowth = {
  linkScores: grownLinkScores,
  foldIn,
  graphLinks: createGraphLinks,
};
