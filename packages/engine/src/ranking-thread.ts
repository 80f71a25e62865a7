export { buffersOf, type NumberedCall } from './messages/port-caller.ts';
export { createRankerHost } from './messages/ranker-messages.ts';
export { createLocalRanker, type LocalRankerOptions, type RankedBundle } from './ranker/local-ranker.ts';
export { rankerGrowth } from './ranker/ranker-growth.ts';
export { tailsModeOf } from './sets/tails-mode.ts';
