export type { QueryScorer } from './baselines/baselines.ts';
export {
  type Baseline,
  createFrequencyBaseline,
  createKnownFactsBaseline,
  createTraversalBaseline,
} from './baselines/baselines.ts';
export { type ImportBetaEOptions, type ImportedBetaE, importBetaE } from './betae/import-betae.ts';
export { loadCountries } from './countries/countries.ts';
export { applyChanges, type KeyedChange } from './datasets/apply-changes.ts';
export {
  createDataset,
  type Dataset,
  type DatasetInput,
  type DatasetOrigin,
  type DatasetSplit,
} from './datasets/dataset.ts';
export type { NewNames } from './datasets/grow-names.ts';
export { hashDataset } from './datasets/hash-dataset.ts';
export type { ImportCounts, ImportedDataset } from './datasets/imported-dataset.ts';
export { type EarlierIds, type FactChanges, type KeptSplit, keepSplit } from './datasets/keep-split.ts';
export { laterIds } from './datasets/later-ids.ts';
export { readDataset } from './datasets/read-dataset.ts';
export { splitTriples } from './datasets/split.ts';
export {
  type DatasetQueries,
  expectNewFolder,
  holdsDataset,
  writeDataset,
} from './datasets/write-dataset.ts';
export {
  type DownloadedDataset,
  type DownloadOptions,
  downloadDataset,
} from './download/download-dataset.ts';
export { type DownloadSource, downloadSources } from './download/sources.ts';
export { unpackFolder } from './download/unpack-folder.ts';
export { findImportFiles, type ImportFormat, importFormats } from './import/find-files.ts';
export { type ImportOptions, importDataset } from './import/import-dataset.ts';
export { type ImportPathOptions, importPath } from './import/import-path.ts';
export { type PeekedFile, type PeekOptions, peekPath } from './import/peek.ts';
export { type AnsweredPattern, byType, somePatterns } from './patterns/answered-pattern.ts';
export { type Efo1Name, efo1Names, efo1Types } from './patterns/efo1-types.ts';
export {
  expectNoPatterns,
  openPatterns,
  type PatternFile,
  type PatternPart,
  patternFileOf,
  patternParts,
  samplePatternSet,
  writePatternSet,
} from './patterns/pattern-files.ts';
export { patternsToJsonLines, readPatterns } from './patterns/pattern-lines.ts';
export { fillPattern, type PatternAtom, type PatternType, patternType } from './patterns/pattern-type.ts';
export { type SamplePatternsOptions, samplePatterns } from './patterns/sample-patterns.ts';
export { type KnownHalf, knownHalves, lackedHalves } from './queries/known-halves.ts';
export {
  createLinkCounter,
  type HalfLinks,
  type LinkCounter,
  type MissingLinks,
  noDerivation,
} from './queries/missing-links.ts';
export { isPublished, type QueryStructure, structureOf } from './queries/query-structure.ts';
export { readQueries } from './queries/read-queries.ts';
export {
  answersOf,
  createQueriesBuilder,
  type QueryRow,
  queryRow,
  type SampledQueries,
  someQueries,
} from './queries/sampled-queries.ts';
export { formatStructure, parseStructure } from './queries/structure-text.ts';
export { queriesToJsonLines } from './queries/write-queries.ts';
export { type CarryOptions, carryQueries } from './query-sets/carry-queries.ts';
export { copyQueries } from './query-sets/copy-queries.ts';
export {
  type ImportedQuerySet,
  type ImportQuerySetOptions,
  importQuerySet,
} from './query-sets/import-query-set.ts';
export { openQueries, type WantedQueries } from './query-sets/open-queries.ts';
export { isQuerySetName, listQuerySets, type QuerySetRecord } from './query-sets/query-set-record.ts';
export {
  type DrawnSet,
  type DrawnSetOptions,
  drawnSetFile,
  drawnSets,
  drawnStructures,
  expectNoDrawnSet,
  sampleDrawnSet,
  writeDrawnSet,
} from './sampling/drawn-sets.ts';
export { enumerateProjections } from './sampling/enumerate-projections.ts';
export {
  countQueries,
  ownSetName,
  type QueryFile,
  type QueryPart,
  queriesAlreadyThere,
  queriesOf,
  queryFileOf,
  queryParts,
  readQueryFile,
  readQueryFileOf,
  readQueryPart,
  writeQuerySets,
} from './sampling/query-files.ts';
export {
  hasHeldOutFacts,
  type QuerySetOptions,
  type QuerySetSizes,
  type QuerySets,
  sampleQuerySets,
} from './sampling/query-sets.ts';
export type { AddedRules } from './sampling/rules.ts';
export { type BalancedOptions, mostMissing, sampleBalanced } from './sampling/sample-balanced.ts';
export { type SampleOptions, sampleQueries } from './sampling/sample-queries.ts';
export { sampleUnselected } from './sampling/sample-unselected.ts';
export { createSamplingPool, type SamplingPool } from './sampling/sampling-pool.ts';
export { isSourceAddress, sourceName, withoutCredentials } from './sources/source-address.ts';
export type { HeaderOption } from './tables/table-plan.ts';
export type { TripleFormat } from './triples/triple-format.ts';
export type { LeftOut } from './triples/triple-sink.ts';
