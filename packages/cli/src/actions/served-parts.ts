import type { ApiPart } from '@fuzzqe/engine/api';
import { sparqlPart } from '@fuzzqe/sparql';

/** What the command serves beside the API of the engine. */
export function servedParts(): readonly ApiPart[] {
  return [sparqlPart()];
}
