export * from './errors.ts';
export * from './tensor/index.ts';

// Graphs, queries, ranking, input
export * from './kg/entity-set.ts';
export * from './kg/ids.ts';
export { createKnowledgeGraph, type KnowledgeGraph, type KnowledgeGraphInput } from './kg/knowledge-graph.ts';
export * from './query/answers.ts';
export * from './query/betae.ts';
export { checkQuery, type QueryBounds, queryWarnings } from './query/check-query.ts';
export * from './query/limits.ts';
export * from './query/query.ts';
export * from './query/structures.ts';
export * from './query/template.ts';
export * from './logic/logic.ts';
export * from './model/config.ts';
export * from './model/fuzzqe.ts';
export * from './model/parameters.ts';
export * from './bundle/golden.ts';
export * from './bundle/manifest.ts';
export * from './bundle/source.ts';
