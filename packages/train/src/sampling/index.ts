export { type EnumerateOptions, enumerateProjections } from './enumerate-projections.ts';
export { type SampleOptions, sampleQueries } from './sample-queries.ts';
export {
  type AnswerLists,
  answersOf,
  type QueryRow,
  queryRow,
  type SampledQueries,
} from './sampled-queries.ts';
