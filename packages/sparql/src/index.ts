export { entityIri, formatSparql, relationIri, type SparqlFormat } from './format/index.ts';
export { type AnswerColumn, answerColumns } from './meaning/answer-columns.ts';
export { parseSparql, type SparqlColumn, type SparqlOrder, type SparqlQuery } from './parse-sparql.ts';
export { answerSparql, sparqlPart } from './protocol/index.ts';
export type { RdfTerm, Solutions } from './results/solutions.ts';
export { type ResultFormat, resultFormats, type SparqlResult } from './results/write-results.ts';
export { textLimits } from './syntax/check-text.ts';
export { prepareParser } from './syntax/parse-syntax.ts';
