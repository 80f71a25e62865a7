import type { ApiPart } from '@fuzzqe/api';
import { documentation } from '@fuzzqe/api/documentation';
import { wordsPart } from '@fuzzqe/api/words';
import type { Translator } from '@fuzzqe/engine/words';
import { inferenceProtocolPart } from '@fuzzqe/serve';
import { sparqlPart } from '@fuzzqe/sparql/protocol';
import { createEvaluatorThreads } from '../sparql/evaluator-threads.ts';
import { createParserThread, threadScript } from '../sparql/parser-thread.ts';

/** What the command serves in addition to the API of the engine. */
export async function servedParts({
  bearer = false,
  mcp = false,
  allowHost,
  cors,
  translator,
}: {
  /** Whether callers need a key. */
  readonly bearer?: boolean;
  /** Whether assistants may ask, at `/mcp`. */
  readonly mcp?: boolean;
  /** The names and origins of the settings: where there are names, the server checks both before. */
  readonly allowHost?: readonly string[] | undefined;
  readonly cors?: readonly string[] | undefined;
  /** What writes patterns for questions that no template fits. */
  readonly translator?: Translator | undefined;
} = {}): Promise<readonly ApiPart[]> {
  const [parses, evaluates] = [threadScript('parse-texts'), threadScript('evaluate-queries')];
  const sparql = sparqlPart({
    ...(parses === undefined ? {} : { parse: createParserThread(parses) }),
    ...(evaluates === undefined ? {} : { evaluate: createEvaluatorThreads(evaluates) }),
  });
  const parts = [documentation({ bearer }), sparql, inferenceProtocolPart(), wordsPart({ translator })];
  if (!mcp) return parts;
  // Its kit takes as long to load as all else together.
  const { mcpPart } = await import('@fuzzqe/mcp');
  return [...parts, mcpPart({ hosts: allowHost === undefined ? '*' : 'checked', origins: cors })];
}
