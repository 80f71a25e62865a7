export {
  areIriKeys,
  entityBeginning,
  entityIri,
  isAbsolute,
  keyIri,
  relationBeginning,
  relationIri,
} from '../names/key-iris.ts';
export { formatSparql, type SparqlFormat } from './format-sparql.ts';
