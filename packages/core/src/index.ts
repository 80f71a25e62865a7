export * from './errors.ts';
export * from './tensor/index.ts';

// Graphs, queries, ranking, input
export { didYouMean, type NearMatch, nearest, nearestNames } from './input/nearest.ts';
export * as schema from './input/schema.ts';
export * from './kg/entity-set.ts';
export * from './kg/ids.ts';
export { createKnowledgeGraph, type KnowledgeGraph, type KnowledgeGraphInput } from './kg/knowledge-graph.ts';
export * from './kg/vocabulary.ts';
export * from './kg/vocabulary-tsv.ts';
export * from './query/answers.ts';
export * from './query/betae.ts';
export { checkQuery, type QueryBounds, queryWarnings } from './query/check-query.ts';
export * from './query/limits.ts';
export { formatEntity, formatQuery, formatRelation, parseQueryText } from './query/notation.ts';
export * from './query/query.ts';
export * from './query/query-json.ts';
export * from './query/structures.ts';
export * from './query/template.ts';
export * from './logic/logic.ts';
export * from './model/config.ts';
export * from './model/fuzzqe.ts';
export * from './model/parameters.ts';
export * from './bundle/golden.ts';
export * from './bundle/manifest.ts';
export * from './bundle/source.ts';
