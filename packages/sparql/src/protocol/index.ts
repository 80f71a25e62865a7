export { answerSparql, type SparqlPartOptions, sparqlPart } from './sparql-part.ts';
