import { createModelRegistry } from '@fuzzqe/api';
import { documentation } from '@fuzzqe/api/documentation';
import { wordsPart } from '@fuzzqe/api/words';
import { openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { createMemoryFacts } from '@fuzzqe/facts';
import { mcpPart } from '@fuzzqe/mcp';
import {
  createLiveFacts,
  entitiesPart,
  factsPart,
  inferenceProtocolPart,
  judgementsPart,
  startServer,
  updatableFacts,
} from '@fuzzqe/serve';
import { sparqlPart } from '@fuzzqe/sparql';
import { parseSyntax } from '@fuzzqe/sparql/syntax';
import { code, generatedPage, plain, table } from './markdown.ts';

interface Media {
  readonly schema?: Schema;
}
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly description?: string; readonly content?: Readonly<Record<string, Media>> }>
  >;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The OpenAPI document of a server with every optional part, over a small graph. */
async function openApi(): Promise<Document> {
  const models = createModelRegistry(['small']);
  const { source, config, parameters } = await memoryBundle();
  await models.put('small', await openEngine({ source, sessions: referenceSessions(config, parameters) }));
  const live = updatableFacts(createLiveFacts(createMemoryFacts()));
  const facts = { facts: live, refusalOf: () => undefined };
  const mount = [
    documentation(),
    sparqlPart({ parse: async (text) => parseSyntax(text) }),
    inferenceProtocolPart(),
    wordsPart(),
    mcpPart({ hosts: '*' }),
    ...[factsPart, entitiesPart, judgementsPart].map((part) => part(facts)),
  ];
  const server = await startServer({ models, port: 0, closeNotice: 0, api: { mount } });
  try {
    return (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
  } finally {
    await server.close();
  }
}

function kindOf(schema: Schema | undefined): string {
  if (schema === undefined) return '';
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!;
    return `[${name}](#schema-${name.toLowerCase()})`;
  }
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.const !== undefined) return code(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined)
    return [...new Set(choices.map(kindOf))].filter((text) => text !== '').join(' or ');
  if (schema.items !== undefined) return `array of ${kindOf(schema.items) || 'any'}`;
  return schema.type === undefined ? '' : [schema.type].flat().join(' or ');
}

function fieldsTable(schema: Schema | undefined): string {
  const fields = Object.entries(schema?.properties ?? {});
  if (fields.length === 0) return '';
  const rows = fields.map(([name, field]) => [
    code(name),
    kindOf(field),
    schema?.required?.includes(name) === true ? 'yes' : '',
    plain(field.description ?? ''),
  ]);
  return `\n${table(['Field', 'Type', 'Always', 'Meaning'], rows)}`;
}

/** Texts as paragraphs, without the empty texts. */
const paragraphs = (...texts: readonly string[]): string =>
  texts.map((text) => (text === '' ? '' : `\n${text}\n`)).join('');

const hasName = (schema: Schema | undefined): boolean =>
  schema?.$ref !== undefined || schema?.anyOf?.every(hasName) === true;

const mediaOf = (content: Readonly<Record<string, Media>> = {}): string =>
  Object.entries(content)
    .map(([type, { schema }]) => `${code(type)}${hasName(schema) ? ` ${kindOf(schema)}` : ''}`)
    .join(', ');

function operationSection(method: string, path: string, operation: Operation): string {
  const { summary = '', description = '', parameters = [], requestBody, responses } = operation;
  const rows = parameters.map(({ name, in: where, schema, description: meaning = '' }) => [
    code(name),
    where,
    kindOf(schema),
    plain(meaning),
  ]);
  const bodies = requestBody === undefined ? '' : `\nBody: ${mediaOf(requestBody.content)}\n`;
  const first = Object.values(requestBody?.content ?? {})[0]?.schema;
  const answers = Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, answer]) => [status, plain(answer.description ?? ''), mediaOf(answer.content)]);
  const problems = Object.keys(responses).filter((status) => Number(status) >= 400);
  return `### ${method.toUpperCase()} ${path.replaceAll('{', '\\{')}

${`${plain(summary)}. ${plain(description)}`.trimEnd()}
${rows.length === 0 ? '' : `\n${table(['Parameter', 'In', 'Type', 'Meaning'], rows)}`}${bodies}${fieldsTable(first)}
${table(['Status', 'Meaning', 'Body'], answers)}${problems.length === 0 ? '' : `\nProblems: ${problems.join(', ')}.\n`}`;
}

/** Each operation of the HTTP API with its parameters, bodies and answers. */
export async function httpPage(): Promise<string> {
  const { paths, components } = await openApi();
  const operations = Object.entries(paths)
    .filter(([path]) => !path.startsWith('/v1/models/{name}/'))
    .flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method !== 'parameters')
        .map(([method, operation]) => ({ method, path, operation })),
    );
  const tags = [...new Set(operations.map(({ operation }) => operation.tags?.[0] ?? 'Other'))];
  const groups = tags.map((tag) => {
    const own = operations.filter(({ operation }) => (operation.tags?.[0] ?? 'Other') === tag);
    return `## ${tag}\n\n${own.map(({ method, path, operation }) => operationSection(method, path, operation)).join('\n')}`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `### Schema ${name}\n${paragraphs(plain(schema.description ?? ''), kindOf(schema))}${fieldsTable(schema)}`,
  );
  return generatedPage(
    'HTTP',
    'the OpenAPI document',
    `A server describes its API at \`/openapi.json\` (OpenAPI 3.1), and at \`/docs\` for readers.
This page shows the document of a server with SPARQL, the inference protocol and MCP.
Most operations below \`/v1/\` also exist for each model below \`/v1/models/NAME/\`.
[errors.md](errors.md) lists the codes of problems.

${groups.join('\n')}
## Schemas

${schemas.join('\n')}`,
  );
}
