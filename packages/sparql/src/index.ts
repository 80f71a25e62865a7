export { entityIri, formatSparql, relationIri, type SparqlFormat } from './format/index.ts';
export { type AnswerColumn, answerColumns } from './meaning/answer-columns.ts';
export { parseSparql } from './parse-sparql.ts';
export { answerSparql, type SparqlPartOptions, sparqlPart } from './protocol/index.ts';
export type { SparqlColumn, SparqlOrder, SparqlQuery } from './read-sparql.ts';
export type { RdfTerm } from './results/rdf-term.ts';
export type { Solutions } from './results/solutions.ts';
export { type ResultFormat, resultFormats, type SparqlResult } from './results/write-results.ts';
export { textLimits } from './syntax/check-text.ts';
