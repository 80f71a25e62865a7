export { runAmongCandidates } from './candidates/run-among-candidates.ts';
export { comparedRows } from './entity-index/sets-by-index.ts';
export { buffersOf, type NumberedCall } from './messages/port-caller.ts';
export { createRankerHost } from './messages/ranker-messages.ts';
export { createLikelyRanker, type LikelyModel } from './ranker/likely-ranker.ts';
export { createLocalRanker, type LocalRankerOptions, type RankedBundle } from './ranker/local-ranker.ts';
export { rankerGrowth } from './ranker/ranker-growth.ts';
