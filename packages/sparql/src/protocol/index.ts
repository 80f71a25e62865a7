export { answerSparql, sparqlPart } from './sparql-part.ts';
