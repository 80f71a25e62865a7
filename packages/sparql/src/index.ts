export { entityIri, formatSparql, relationIri, type SparqlFormat } from './format/index.ts';
export { type AnswerColumn, answerColumns } from './meaning/answer-columns.ts';
export { parseSparql, type SparqlColumn, type SparqlOrder, type SparqlQuery } from './parse-sparql.ts';
export { textLimits } from './syntax/check-text.ts';
export { prepareParser } from './syntax/parse-syntax.ts';
