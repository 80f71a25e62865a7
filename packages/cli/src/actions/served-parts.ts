import type { ApiPart } from '@fuzzqe/engine/api';
import { documentation } from '@fuzzqe/engine/documentation';
import { inferenceProtocolPart } from '@fuzzqe/serve';
import { sparqlPart } from '@fuzzqe/sparql';

/** What the command serves beside the API of the engine. */
export function servedParts(options: { readonly bearer?: boolean } = {}): readonly ApiPart[] {
  return [documentation(options), sparqlPart(), inferenceProtocolPart()];
}
