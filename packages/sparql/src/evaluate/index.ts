export { resolveNames } from '../names/resolve-names.ts';
export type { SparqlResult } from '../results/sparql-result.ts';
export type { RdfTerm } from '../terms/rdf-term.ts';
export type { Triple, TriplePattern, TripleSource } from '../terms/triple-source.ts';
export { type Evaluate, type EvaluationOptions, evaluate, tooManyRows } from './evaluate.ts';
export { evaluateHere } from './kept-engine.ts';
