export { entityBeginning, isAbsoluteIri as isAbsolute, keyIri, relationBeginning } from '@fuzzqe/core';
export { areIriKeys, entityIri, relationIri } from '../names/key-iris.ts';
export { formatSparql, type SparqlFormat } from './format-sparql.ts';
