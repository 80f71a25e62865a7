export { type CalledThread, callThread, type Numbered } from './call-thread.ts';
export { FuzzError, type FuzzErrorCode, type FuzzErrorDetails, messageOf } from './errors.ts';
export { importOptional } from './import-optional.ts';
export { describeValue } from './input/describe-value.ts';
export { expectOptions } from './input/expect-options.ts';
export { expectText } from './input/expect-text.ts';
// biome-ignore lint/performance/noReExportAll: one name, under which schemas are built as one reads them.
export * as schema from './input/schema.ts';
export { type AdjacencyIndex, headOfGroup } from './kg/adjacency.ts';
export {
  type ChangedFacts,
  changedFacts,
  checkConfidences,
  checkValidities,
  type FactChanges,
} from './kg/changed-facts.ts';
export { datedGraph } from './kg/dated-graph.ts';
export { EntitySet } from './kg/entity-set.ts';
export {
  confidenceOf,
  confidencesOf,
  type FactConfidences,
  findEdge,
  isRejected,
  rejectedTails,
} from './kg/fact-confidences.ts';
export { type FactRows, findGroup, placeOf, rowsOf } from './kg/fact-rows.ts';
export { type FactValidity, hasValidity } from './kg/fact-validity.ts';
export { factsAt, periodAt } from './kg/facts-at.ts';
export {
  asEntityId,
  asRelationId,
  checkId,
  type EntityId,
  forwardFact,
  inverseOf,
  type RelationId,
} from './kg/ids.ts';
export { keptBy } from './kg/kept-by.ts';
export { entityBeginning, isAbsoluteIri, keyIri, relationBeginning } from './kg/key-iri.ts';
export {
  type ChangedRows,
  checkTriples,
  createKnowledgeGraph,
  emptyKnowledgeGraph,
  graphOfFacts,
  type IndexedGraph,
  type KnowledgeGraph,
  type KnowledgeGraphInput,
  openChangedGraph,
  openKnowledgeGraph,
  shareGraph,
} from './kg/knowledge-graph.ts';
export { newKeyOf } from './kg/new-key.ts';
export { keyBehind, keyInBrackets, type Prefixes, prefixOf } from './kg/prefixes.ts';
export { ratedGraph } from './kg/rated-graph.ts';
export { reindexedGraph } from './kg/reindexed-graph.ts';
export {
  type EntityMatch,
  type EntityRows,
  inverseSuffix,
  type Matches,
  type NameEntry,
  type NameKind,
  type OfferedNames,
  type Page,
  type RelationEntry,
  type RelationMatch,
  type Vocabulary,
} from './kg/vocabulary.ts';
export { isPassing } from './passing-fault.ts';
export { createRandom, type Random } from './random.ts';
export { receivedError, type SentError, sentError } from './sent-error.ts';
export { type Finish, finish, namesOfStep, type Steps, sharedSteps } from './steps.ts';
export { didYouMean } from './text/nearest.ts';
export { withoutSecrets } from './without-secrets.ts';
