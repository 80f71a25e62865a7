export {
  describeEntityIndex,
  type EntityIndexCase,
  type EntityIndexSetup,
  entityIndexCases,
} from './describe-entity-index.ts';
export {
  describeRanker,
  type RankerCase,
  type RankerCaseContext,
  type RankerSetup,
  rankerCases,
  rankerContext,
} from './describe-ranker.ts';
export {
  describeSession,
  type SessionSetup,
  type SkippedCases,
  type TestRunner,
} from './describe-session.ts';
export { type MemoryBundle, memoryBundle } from './memory-bundle.ts';
export { randomQuery } from './random-query.ts';
export { referenceSessions } from './reference-sessions.ts';
export { type SessionCase, type SessionCaseContext, sessionCases } from './session-cases.ts';
