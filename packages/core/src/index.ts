export * from './bundle/digest.ts';
export * from './bundle/facts.ts';
export * from './bundle/golden.ts';
export * from './bundle/manifest.ts';
export { sealManifest } from './bundle/manifest-seal.ts';
export * from './bundle/parse-golden.ts';
export * from './bundle/parse-manifest.ts';
export * from './bundle/profile-quality.ts';
export * from './bundle/read-bundle.ts';
export * from './bundle/repository.ts';
export * from './bundle/signatures.ts';
export * from './bundle/source.ts';
export * from './bundle/verify-bundle.ts';
export * from './errors.ts';
export { describeValue } from './input/describe-value.ts';
export { didYouMean, type NearMatch, nearest, nearestNames } from './input/nearest.ts';
export * as schema from './input/schema.ts';
export type { AdjacencyIndex } from './kg/adjacency.ts';
export * from './kg/entity-set.ts';
export * from './kg/ids.ts';
export {
  createKnowledgeGraph,
  findGroup,
  type KnowledgeGraph,
  type KnowledgeGraphInput,
} from './kg/knowledge-graph.ts';
export * from './kg/vocabulary.ts';
export * from './kg/vocabulary-tsv.ts';
export * from './logic/laws.ts';
export * from './logic/logic.ts';
export * from './model/config.ts';
export { embedProgram, type ProgramPieces } from './model/embed-program.ts';
export * from './model/fuzzqe.ts';
export * from './model/parameters.ts';
export { plainModel } from './model/plain-model.ts';
export * from './query/answers.ts';
export * from './query/betae.ts';
export { checkQuery, type QueryBounds, queryWarnings } from './query/check-query.ts';
export * from './query/limits.ts';
export { formatEntity, formatQuery, formatRelation, parseQueryText } from './query/notation.ts';
export { type ProgramPlan, planProgram, type StructureQuery } from './query/plan-program.ts';
export * from './query/query.ts';
export * from './query/query-json.ts';
export * from './query/structures.ts';
export * from './query/template.ts';
export * from './ranking/metrics.ts';
export * from './ranking/rank.ts';
export * from './ranking/top-k.ts';
export * from './tensor/index.ts';
