import type { ApiPart } from '@fuzzqe/engine/api';
import { documentation } from '@fuzzqe/engine/documentation';
import { inferenceProtocolPart } from '@fuzzqe/serve';
import { sparqlPart } from '@fuzzqe/sparql/protocol';

/** What the command serves beside the API of the engine. */
export async function servedParts({
  bearer = false,
  mcp = false,
}: {
  /** Whether callers need a key. */
  readonly bearer?: boolean;
  /** Whether assistants may ask, at `/mcp`. */
  readonly mcp?: boolean;
} = {}): Promise<readonly ApiPart[]> {
  const parts = [documentation({ bearer }), sparqlPart(), inferenceProtocolPart()];
  if (!mcp) return parts;
  // Its kit takes as long to load as all else together.
  const { mcpPart } = await import('@fuzzqe/mcp');
  return [...parts, mcpPart({ hosts: 'checked' })];
}
