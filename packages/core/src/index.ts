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
