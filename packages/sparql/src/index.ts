export { entityIri, formatSparql, relationIri, type SparqlFormat } from './format/index.ts';
export { type AnswerColumn, answerColumns } from './meaning/answer-columns.ts';
export { parseSparql } from './parse-sparql.ts';
export { answerSparql, type SparqlPartOptions, sparqlPart } from './protocol/index.ts';
export type { SparqlColumn, SparqlOrder, SparqlQuery } from './read-sparql.ts';
export type { GraphResult, Solutions, SparqlResult } from './results/sparql-result.ts';
export { type ResultFormat, resultFormats } from './results/write-results.ts';
export { textLimits } from './syntax/check-text.ts';
export type { RdfTerm } from './terms/rdf-term.ts';
