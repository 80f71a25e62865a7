export type { SparqlResult } from '../results/sparql-result.ts';
export type { RdfTerm } from '../terms/rdf-term.ts';
export type { Triple, TriplePattern, TripleSource } from '../terms/triple-source.ts';
export type { Evaluate, EvaluationOptions } from './evaluate.ts';
export { evaluationError, tooManyRows } from './evaluation-errors.ts';
export { evaluateHere } from './kept-engine.ts';
