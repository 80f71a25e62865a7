export {
  type Answer,
  type AnswerMode,
  type AnswerOptions,
  answerModes,
  type EmbeddingAnswer,
  type EmbeddingAnswerEntity,
  type EmbeddingOptions,
  type Exclusion,
  type OperandDegree,
  type RankOptions,
  type RankSetsOptions,
  type SetsAnswer,
  type SetsAnswerEntity,
  type SetsOptions,
} from './answer.ts';
export { type BundleOptions, bundleForms, type OpenBundle, openBundle, usualProfile } from './bundle.ts';
export {
  type CostOptions,
  type CostSize,
  checkBatchCost,
  checkCost,
  costSizeOf,
  estimateCost,
  estimatePatternCost,
  estimateRecordedCost,
  estimateScoringCost,
  estimateSearchCost,
} from './cost/estimate-cost.ts';
export { fitPatternCost } from './cost/pattern-cost.ts';
export { checkTrained } from './embedding/check-trained.ts';
export { type PlanChoice, type PlanKind, type PlanSummary, planKinds } from './embedding/plan.ts';
export type { Ranking } from './embedding/rank-embeddings.ts';
export {
  type BundleEngine,
  createEngine,
  type Engine,
  type EngineOptions,
  openEngine,
} from './engine.ts';
export type { EngineBundle, EngineManifest } from './engine-manifest.ts';
export { createBundleIndex } from './entity-index/bundle-index.ts';
export { checkSearch } from './entity-index/check-search.ts';
export type {
  EntityIndex,
  IndexCapabilities,
  IndexHits,
  IndexSearch,
} from './entity-index/entity-index.ts';
export { createIndexedRanker, type IndexedRankerOptions } from './entity-index/indexed-ranker.ts';
export type {
  EntityDescription,
  EntityOptions,
  EntityRelation,
  PredictedEntity,
  RecordedEntity,
} from './entity-page/describe-entity.ts';
export { type EntityTexts, type SomeOf, textsOf } from './entity-page/entity-texts.ts';
export { createConflictFinder, type NamedConflict } from './explain/conflict-finder.ts';
export { type FactProvenance, type ProvenanceOf, provenanceText } from './explain/fact-provenance.ts';
export type {
  AnswerLink,
  NamedDerivation,
  NamedId,
  NamedRelation,
  NamedSupport,
  PartExplanation,
} from './explain/name-explanation.ts';
export { type ReasonTexts, reasonTexts } from './explain/reason-texts.ts';
export {
  changeable,
  changeableElsewhere,
  type FactChangesMaker,
  type FactsChanged,
  type NamesChanged,
} from './fact-changes.ts';
export type { AnswerFilter } from './filter/answer-filter.ts';
export { type GraphEngineOptions, openGraphEngine } from './graph-engine.ts';
export { messageFromJson, messageToJson } from './messages/json-message.ts';
export {
  buffersOf,
  createPortCaller,
  type NumberedCall,
  type NumberedReply,
  type PortCaller,
} from './messages/port-caller.ts';
export {
  createRankerHost,
  createRemoteRanker,
  type RankerCall,
  type RankerReply,
  type RemoteRankerOptions,
} from './messages/ranker-messages.ts';
export {
  type NextRelation,
  type NextRelations,
  type NextRelationsOptions,
  nextRelations,
} from './next-relations/next-relations.ts';
export {
  aFunction,
  anObject,
  anything,
  aSignal,
  aText,
  atLeast,
  checkForms,
  checkNames,
  checkOptions,
  flag,
  has,
  integerIn,
  isObject,
  type OptionForm,
  oneOf,
  texts,
} from './options/option-forms.ts';
export { defaultLinks, defaultWidth, mostLinks, mostTuples } from './patterns/create-matching.ts';
export { examplePatterns, type PatternExample } from './patterns/example-patterns.ts';
export { centred, cosinesWith, mostCompared } from './patterns/model-likeness.ts';
export type {
  ConditionSupport,
  PatternAnswer,
  PatternCounts,
  PatternEntity,
  PatternOptions,
  PatternOrder,
  PatternRow,
  PatternSummary,
  SetSupport,
} from './patterns/pattern-answer.ts';
export { likenessWords, setWords } from './patterns/set-words.ts';
export { inTurns } from './queue/in-turns.ts';
export { createOverload, type Overload, type OverloadOptions } from './queue/overload.ts';
export {
  createQueuedRanker,
  type Lane,
  type QueuedRanker,
  type QueueOptions,
} from './queue/queued-ranker.ts';
export { type ReadOptions, readWithNames } from './queue/read-with-names.ts';
export { createRecentCount, type RecentCount } from './queue/recent-count.ts';
export { type FoundNames, type SearchLimits, searchNames } from './queue/search-names.ts';
export { type CallLimits, throwIfOver, tooLate, whenOver } from './ranker/call-limits.ts';
export type {
  BatchSample,
  CacheCounters,
  RankerCounters,
  RankerObserver,
  RankerRefusal,
} from './ranker/counters.ts';
export { createLifetime, type Lifetime } from './ranker/lifetime.ts';
export { createLikelyRanker, type LikelyModel } from './ranker/likely-ranker.ts';
export {
  createLocalRanker,
  graphsOf,
  type LocalRankerOptions,
  type RankedBundle,
} from './ranker/local-ranker.ts';
export type {
  DegreesRequest,
  DegreesResult,
  EmbeddingRequest,
  EmbeddingResult,
  EmbedRequest,
  EmbedResult,
  ExplainRequest,
  ExplainResult,
  FoldRequest,
  FoldResult,
  IndexState,
  Ranker,
  RankRequest,
  RankResult,
  RecordedRequest,
  RecordedResult,
  ResultOf,
  ScoreRequest,
  ScoreResult,
  SetsRequest,
  SetsResult,
} from './ranker/ranker.ts';
export { indexStates } from './ranker/ranker.ts';
export { type RankerGrowth, rankerGrowth } from './ranker/ranker-growth.ts';
export { createRecordedFirst } from './ranker/recorded-first.ts';
export type { GraphEvidence } from './ranker/sets-context.ts';
export { createGoldenCheck, type GoldenCheck, type GoldenChoice } from './readiness/golden-check.ts';
export { checkedGraphs } from './sessions/checked-graphs.ts';
export { javascriptSessions } from './sessions/javascript-sessions.ts';
export type { DerivedGraph } from './sessions/rank-all.ts';
export type { OpenHow, Session, SessionFactory, TensorValue, TensorValues } from './sessions/session.ts';
export { createSessionCache, type SessionCache } from './sessions/session-cache.ts';
export { createWeightsCache, type WeightsCache } from './sessions/weights-cache.ts';
export {
  type AnswerState,
  answerStates,
  leastAnswer,
  leastSuggestion,
  stateWords,
} from './sets/answer-state.ts';
export { createLinkScores, type ScoreRunner } from './sets/link-scores.ts';
export type { RankedSet } from './sets/top-degrees.ts';
