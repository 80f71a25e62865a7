export { type EnumerateOptions, enumerateProjections } from './enumerate-projections.ts';
export { type QuerySetOptions, type QuerySetSizes, type QuerySets, sampleQuerySets } from './query-sets.ts';
export { type ReadQueriesOptions, readQueries } from './read-queries.ts';
export { type SampleOptions, sampleQueries } from './sample-queries.ts';
export {
  type AnswerLists,
  answersOf,
  type QueryRow,
  queryRow,
  type SampledQueries,
} from './sampled-queries.ts';
export { queriesToJsonLines } from './write-queries.ts';
