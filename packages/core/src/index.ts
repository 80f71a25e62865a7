export { FuzzError, type FuzzErrorCode, type FuzzErrorDetails, messageOf } from './errors.ts';
export { importOptional } from './import-optional.ts';
export { describeValue } from './input/describe-value.ts';
export { expectOptions } from './input/expect-options.ts';
export { didYouMean, type NearMatch } from './input/nearest.ts';
// biome-ignore lint/performance/noReExportAll: one name, under which schemas are built as one reads them.
export * as schema from './input/schema.ts';
export { type Finish, finish, type Steps } from './input/steps.ts';
export { type AdjacencyIndex, headOfGroup } from './kg/adjacency.ts';
export { type Alias, type AliasKind, aliasesOf, aliasKinds, readAliases } from './kg/aliases.ts';
export {
  type AttributeColumn,
  type AttributePaths,
  type Attributes,
  type AttributeType,
  type AttributeValue,
  attributesOf,
  attributeTypes,
  noAttributes,
  readAttributes,
  writeAttributeColumns,
} from './kg/attributes.ts';
export {
  type EntityRows,
  type EntityRowsForm,
  entityRowText,
  noEntityRows,
  readEntityRows,
} from './kg/entity-rows.ts';
export { EntitySet } from './kg/entity-set.ts';
export { asEntityId, asRelationId, checkId, type EntityId, inverseOf, type RelationId } from './kg/ids.ts';
export { keptByIndex } from './kg/kept-by-index.ts';
export {
  createKnowledgeGraph,
  emptyKnowledgeGraph,
  findGroup,
  graphOfFacts,
  type IndexedGraph,
  type KnowledgeGraph,
  type KnowledgeGraphInput,
  openKnowledgeGraph,
  shareGraph,
} from './kg/knowledge-graph.ts';
export { keyBehind, type Prefixes } from './kg/prefixes.ts';
export type { Page } from './kg/search-names.ts';
export {
  createVocabulary,
  type EntityMatch,
  type Matches,
  type NameEntry,
  type NameKind,
  type OfferedNames,
  type RelationEntry,
  type RelationMatch,
  type Vocabulary,
  type VocabularyInput,
} from './kg/vocabulary.ts';
export {
  createNamesReader,
  entitiesTsvTexts,
  type NamesReader,
  readEntitiesTsv,
  readPrefixesTsv,
  readRelationsTsv,
  writeEntitiesTsv,
  writePrefixesTsv,
  writeRelationsTsv,
} from './kg/vocabulary-tsv.ts';
export { isPassing } from './passing-fault.ts';
export { createRandom, type Random } from './random.ts';
export { receivedError, type SentError, sentError } from './sent-error.ts';
export { withoutSecrets } from './without-secrets.ts';
