import type { FactsAccess, Model, ModelRegistry } from '@fuzzqe/api';
import { FuzzError, schema } from '@fuzzqe/core';
import { escapeControlCharacters } from '@fuzzqe/core/text';
import { INVALID_PARAMS, McpServer, ProtocolError } from '@modelcontextprotocol/server';
import { instructionsFor, notationGuide, questionPrompt } from './teaching/notation-guide.ts';
import { ask } from './tools/ask.ts';
import { factsTools } from './tools/change-facts.ts';
import { describeEntity } from './tools/describe-entity.ts';
import { explainAnswer } from './tools/explain-answer.ts';
import { findEntities, findRelations } from './tools/find-names.ts';
import { listStructures } from './tools/list-structures.ts';
import { type Asked, type ErrorListener, type OfferTool, standardSchema } from './tools/tool.ts';

/** Which model a server answers from, and whom it tells of failures. */
export interface McpOptions {
  /** Default: the first of the models. */
  readonly model?: string;
  /** The longest that a call of a tool may take, in milliseconds. Default 30 000. */
  readonly timeout?: number;
  /** Whose turns its calls share where queries wait. Default: each call has its own. */
  readonly caller?: unknown;
  /** The most milliseconds of one core that a query may take, by the model of costs. Default 250. */
  readonly costLimit?: number;
  /** Hears what a call may take, in milliseconds of one core, before it is answered; refuses it by an error. Default: nobody. */
  readonly onCost?: (cost: number) => void;
  /** Facts that change: a caller who may write has tools for them. Default: tools only read. */
  readonly facts?: FactsAccess | undefined;
  /** Hears of failures that are not the client's. Default: nobody. */
  readonly onError?: ErrorListener;
}

const tools = [findEntities, findRelations, describeEntity, ask, explainAnswer, listStructures];

/** Described once: over HTTP each request has a server. */
const described = new WeakMap<FactsAccess, readonly OfferTool[]>();

function toolsOf(facts: FactsAccess): readonly OfferTool[] {
  const known = described.get(facts) ?? factsTools(facts);
  described.set(facts, known);
  return known;
}

const markdown = 'text/markdown';

/**
 * A server of the Model Context Protocol, for one connection or one request.
 *
 * Tools answer with structured content and with the same as text; what was wrong with a call is a tool's error with its hint.
 *
 * @throws FuzzError `runtime`: the model is not open.
 * @example
 * const server = createMcpServer(models, { model: 'countries', timeout: 10 });
 */
export function createMcpServer(models: ModelRegistry, options: McpOptions = {}): McpServer {
  const { model, timeout = 30_000, caller, costLimit = 250 } = options;
  const { onCost = () => {}, onError = () => {}, facts } = options;
  const asked: Asked = { models, model, timeout, caller, costLimit, onCost, onError };
  const guide = (): string => lookAt(asked, ({ engine }) => notationGuide(engine));
  const [version, instructions] = lookAt(asked, ({ version, engine }) => [version, instructionsFor(engine)]);
  // Nothing of it ever changes: a stream that waits for news ends at once, and holds up no shutdown.
  const unchanging = { listChanged: false };
  const capabilities = { tools: unchanging, resources: unchanging, prompts: unchanging };
  const server = new McpServer({ name: 'fuzzqe', version }, { instructions, capabilities });
  const writing = facts?.refusalOf(caller) === undefined ? facts : undefined;
  for (const offer of writing === undefined ? tools : [...tools, ...toolsOf(writing)]) offer(server, asked);
  server.registerResource(
    'notation',
    'fuzzqe://notation',
    {
      title: 'Query notation',
      description: 'How queries are written, with examples of this graph.',
      mimeType: markdown,
    },
    ({ href }) => ({ contents: [{ uri: href, mimeType: markdown, text: guide() }] }),
  );
  server.registerPrompt(
    'answer_question',
    {
      title: 'Answer a question from the graph',
      description: 'Teaches the query notation and asks for an answer in words.',
      argsSchema: promptSchema,
    },
    (given) => {
      const text = questionPrompt(questionOf(given), guide());
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
  );
  return server;
}

const promptFields = schema.object({ question: schema.string });

/** A prompt has no errors of its own as tools do: what is wrong with its arguments is the protocol's invalid params. */
function questionOf(given: unknown): string {
  try {
    return schema.parse(promptFields, given, { code: 'usage', what: 'answer_question' }).question;
  } catch (error) {
    if (!(error instanceof FuzzError)) throw error;
    throw new ProtocolError(INVALID_PARAMS, escapeControlCharacters(error.toString()));
  }
}

const promptSchema = standardSchema({
  type: 'object',
  properties: { question: { type: 'string', description: 'A question in words.' } },
  required: ['question'],
});

/** Looks at a model that is open. */
function lookAt<T>({ models, model }: Asked, work: (model: Model) => T): T {
  const open = models.list().find(({ name }) => model === undefined || name === model);
  if (open === undefined) throw new FuzzError('runtime', 'the model is not open yet', { passing: true });
  return work(open);
}
