export { type EnumerateOptions, enumerateProjections } from './enumerate-projections.ts';
export {
  holdsOut,
  type QuerySetOptions,
  type QuerySetSizes,
  type QuerySets,
  sampleQuerySets,
} from './query-sets.ts';
export { isPublished, type QueryStructure, structureOf } from './query-structure.ts';
export { type ReadQueriesOptions, readQueries } from './read-queries.ts';
export { type SampleOptions, sampleQueries } from './sample-queries.ts';
export {
  type AnswerLists,
  answersOf,
  createQueriesBuilder,
  type QueriesBuilder,
  type QueryRow,
  queryRow,
  type SampledQueries,
} from './sampled-queries.ts';
export { createSamplingPool, type SamplingPool, type SamplingPoolOptions } from './sampling-pool.ts';
export { formatStructure, parseStructure } from './structure-text.ts';
export { queriesToJsonLines } from './write-queries.ts';
