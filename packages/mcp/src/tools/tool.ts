import { type ModelRegistry, problemOf, type TimeLimit } from '@fuzzqe/api';
import { FuzzError, schema } from '@fuzzqe/core';
import { escapeControlCharacters } from '@fuzzqe/core/text';
import type { Engine } from '@fuzzqe/engine';
import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { toJsonSchema } from '@valibot/to-json-schema';

type Fields = Readonly<Record<string, schema.Schema<unknown>>>;

/** What a tool found: for programs, and the same for people and models that read. */
export interface ToolResult<Output> {
  readonly structured: Output;
  readonly text: string;
}

/** Something that an assistant can ask an engine for. */
export interface Tool<Input extends Fields, Output> {
  readonly name: string;
  readonly title: string;
  /** For the model that chooses among tools. */
  readonly description: string;
  readonly input: Input;
  /** What each argument means. */
  readonly help: { readonly [K in keyof Input]: string };
  readonly output: schema.Schema<Output>;
  /** What a tool changes; absent for a tool that only reads. A change that is made again changes nothing. */
  readonly changes?: { readonly isDestructive: boolean };
  /** Where the engine's errors say that something stands, and the argument that is meant, where that is called otherwise. */
  readonly meant?: Readonly<Record<string, keyof Input & string>>;
  run(
    engine: Engine,
    input: schema.ObjectOf<Input>,
    limits: CallLimits,
  ): ToolResult<Output> | Promise<ToolResult<Output>>;
}

/** What one call may take. */
export interface CallLimits {
  readonly time: TimeLimit;
  readonly costLimit: number;
  /** Hears what the call may take, and refuses it where it is too much. */
  readonly onCost: (cost: number) => void;
}

/** Offers a tool on a server. */
export type OfferTool = (server: McpServer, asked: Asked) => void;

/** Which model a server asks, and whom it tells of failures. */
export interface Asked {
  readonly models: ModelRegistry;
  /** Default: the first of them. */
  readonly model?: string | undefined;
  /** The longest that a call may take, in milliseconds. */
  readonly timeout: number;
  /** Whose turns its calls share where queries wait; undefined: each has its own. */
  readonly caller: unknown;
  /** The most milliseconds of one core that a query may take, by the model of costs. */
  readonly costLimit: number;
  readonly onCost: (cost: number) => void;
  readonly onError: ErrorListener;
}

/** Hears of what a tool failed by, other than by what it was asked. */
export type ErrorListener = (error: unknown, requestId: string) => void;

/** Describes a tool once, for all servers that offer it. */
export function defineTool<Input extends Fields, Output>(tool: Tool<Input, Output>): OfferTool {
  const arguments_ = schema.object(tool.input);
  const inputSchema = standardSchema(describedSchema(tool));
  const outputSchema = standardSchema(jsonSchemaOf(tool.output));
  const { name, title, description } = tool;
  const annotations = {
    title,
    readOnlyHint: tool.changes === undefined,
    destructiveHint: tool.changes?.isDestructive ?? false,
    idempotentHint: true,
    openWorldHint: false,
  };
  return (server, { models, model, timeout, caller, costLimit, onCost, onError }) => {
    const config = { title, description, inputSchema, outputSchema, annotations };
    server.registerTool(name, config, async (given, { mcpReq }): Promise<CallToolResult> => {
      try {
        const input = schema.parse(arguments_, given, { code: 'usage', what: name, path: '$' });
        const lease = await models.acquire(model);
        const time = { caller, signal: mcpReq.signal, deadline: performance.now() + timeout };
        const limits = { time, costLimit, onCost };
        const { structured, text } = await run(tool, lease.engine, input, limits).finally(lease.release);
        // A tool's output is an object, which its schema says; the protocol has no narrower type for one.
        const structuredContent = structured as Record<string, unknown>;
        return { content: [{ type: 'text', text }], structuredContent };
      } catch (error) {
        return refusal(inArguments(error, tool.meant), onError);
      }
    });
  };
}

/** Also what is thrown at once comes as a rejection. */
async function run<Input extends Fields, Output>(
  tool: Tool<Input, Output>,
  ...given: Parameters<Tool<Input, Output>['run']>
): Promise<ToolResult<Output>> {
  return tool.run(...given);
}

/** What was wrong and how to mend it, as the result of a tool: a model reads it and tries again. */
function refusal(error: unknown, onError: ErrorListener): CallToolResult {
  const requestId = crypto.randomUUID();
  const { status, detail, hint } = problemOf(error, requestId);
  const own = status === 500 || status === 503;
  const named = error instanceof FuzzError && error.code === 'vocabulary' ? `\n  ${whereNamesAre}` : '';
  const told = !own && error instanceof FuzzError ? `${error}${named}` : `${detail}\n  ${hint ?? ''}`;
  if (own) onError(error, requestId);
  return { content: [{ type: 'text', text: escapeControlCharacters(told) }], isError: true };
}

/** An error that names the arguments of a tool, and not what the engine calls them. */
function inArguments(error: unknown, meant: Readonly<Record<string, string>> = {}): unknown {
  const argument = error instanceof FuzzError ? meant[error.path ?? ''] : undefined;
  if (argument === undefined || !(error instanceof FuzzError)) return error;
  const { code, message, hint } = error;
  return new FuzzError(code, message, {
    path: `$.${argument}`,
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}

const whereNamesAre = 'find_entities and find_relations search names.';

/** A part of JSON Schema. */
export type JsonSchema = Record<string, unknown>;

/** What arguments a tool takes, each with what it means. */
function describedSchema<Input extends Fields>({ input, help }: Tool<Input, unknown>): JsonSchema {
  const { properties = {}, ...rest } = jsonSchemaOf(schema.object(input));
  const described = Object.entries(properties as Record<string, JsonSchema>).map(([key, property]) => [
    key,
    { ...property, description: help[key] },
  ]);
  return { ...rest, properties: Object.fromEntries(described) };
}

function jsonSchemaOf(read: schema.Schema<unknown>): JsonSchema {
  const { $schema: _, ...json } = toJsonSchema(read, {
    target: 'draft-2020-12',
    typeMode: 'input',
    // Finite and exact numbers are all that JSON can hold of what is left out.
    errorMode: 'ignore',
  });
  return json as JsonSchema;
}

/** A schema that tells what it is and lets everything pass: anyone who uses it reads with more to say about mistakes. */
export function standardSchema(json: JsonSchema): StandardSchemaWithJSON<unknown, unknown> {
  return {
    '~standard': {
      version: 1,
      vendor: 'fuzzqe',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}
