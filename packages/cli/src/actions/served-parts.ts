import type { ApiPart } from '@fuzzqe/engine/api';
import { documentation } from '@fuzzqe/engine/documentation';
import { inferenceProtocolPart } from '@fuzzqe/serve';
import { sparqlPart } from '@fuzzqe/sparql';

/** What the command serves beside the API of the engine. */
export function servedParts(): readonly ApiPart[] {
  return [documentation(), sparqlPart(), inferenceProtocolPart()];
}
