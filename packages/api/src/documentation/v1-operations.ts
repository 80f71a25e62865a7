import { modesOf } from '@fuzzqe/bundle';
import type { schema } from '@fuzzqe/core';
import { asRelationId } from '@fuzzqe/core';
import { formatPattern, formatQuery, type Pattern, queryToBetaE, writePattern } from '@fuzzqe/core/query';
import type { Engine } from '@fuzzqe/engine';
import type { ApiContext, OpenApiObject } from '../part/api-part.ts';
import { lineTypes } from '../v1/batch-route.ts';
import { entityParameters } from '../v1/entity-route.ts';
import { nameParameters } from '../v1/names-route.ts';
import { nextRelationsBody } from '../v1/next-relations-route.ts';
import { patternBody } from '../v1/patterns-route.ts';
import { queryBody } from '../v1/query-request.ts';
import { exampleOf } from '../v1/structures-route.ts';
import { timeoutHeader } from '../v1/time-limit.ts';
import { jsonSchemaOf } from './json-schema.ts';

/** Something that the API does: one method of one path. */
export interface Operation {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Whether each model has it, too, below `/v1/models/{name}`. */
  readonly ofModel: boolean;
  readonly parameters?: readonly OpenApiObject[];
  readonly requestBody?: OpenApiObject;
  /** Name of the schema of what it answers, by media type. */
  readonly answers: Readonly<Record<string, OpenApiObject>>;
  /** Statuses of its problems. */
  readonly problems: readonly number[];
}

const json = 'application/json';
const of = (name: string): OpenApiObject => ({ $ref: `#/components/schemas/${name}` });
const answers = (name: string): Operation['answers'] => ({ [json]: { schema: of(name) } });

const queryNotes = (maxK: number): Readonly<Record<string, string | OpenApiObject>> => ({
  query: { ...of('Query'), description: 'What is asked.' },
  k: {
    description: 'How many answers and suggestions together; 10, or all entities where there are fewer.',
    minimum: 1,
    maximum: maxK,
  },
  mode: 'By fuzzy sets of entities, with degrees, or by the embedding of the query, with scores.',
  exclude: '`known` leaves out what the recorded facts give.',
  minDegree: {
    description: 'The lowest degree of an answer that is not recorded; 0.5 unless given; in mode sets.',
    minimum: 0,
    maximum: 1,
  },
  suggestions:
    'Whether the best entities below minDegree are listed; true unless given, false in a batch; in mode sets.',
  explain:
    'Whether the answer lists the best entities of every part of the query, and for every answer the links that support it; in mode sets.',
  at: 'A date such as 2001, 2001-05, 2001-05-31 or 2001-05-31T10:00Z: only facts count that hold at its first moment; in mode sets.',
  filter: {
    description:
      'Which entities may be answers: those of these ids, or the answers to a query, recorded or of a degree.',
    properties: {
      ids: { type: 'array', items: { type: 'integer', minimum: 0 } },
      query: of('Query'),
      minDegree: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
    },
  },
  timeoutMs: 'How long the client waits, in milliseconds.',
});

const timeoutParameter: OpenApiObject = {
  name: timeoutHeader,
  in: 'header',
  description: 'How long the client waits, in milliseconds.',
  schema: { type: 'integer', minimum: 1 },
};

/** Parameters of an address, by the schema that reads them. */
function parametersOf(
  reader: schema.Schema<object>,
  meanings: Readonly<Record<string, OpenApiObject>>,
): readonly OpenApiObject[] {
  const { properties } = jsonSchemaOf(reader, {}, 'output') as {
    readonly properties: Readonly<Record<string, OpenApiObject>>;
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    ...meanings[name],
    schema: property,
  }));
}

/** The operations of the API, with examples over the graph of a model. */
export function v1Operations({ maxK }: ApiContext, engine: Engine): readonly Operation[] {
  const { vocabulary, facts, manifest } = engine;
  const embeds = modesOf(manifest).includes('embedding');
  const asked = exampleOf('2i', facts);
  const text = { query: formatQuery(asked, vocabulary), k: Math.min(5, facts.entityCount) };
  const bodySchema = jsonSchemaOf(queryBody, queryNotes(Math.min(maxK, facts.entityCount)));
  const bodyProperties = bodySchema['properties'];
  const lineSchema = {
    ...bodySchema,
    properties: {
      // The schema is of an object.
      ...(bodyProperties as OpenApiObject),
      id: { description: 'Comes back with the answer.', anyOf: [{ type: 'string' }, { type: 'number' }] },
    },
  };
  const first = vocabulary.entity(0);
  const pair: Pattern = {
    variables: ['x', 'y'],
    answers: [0, 1],
    where: { op: 'link', relation: asRelationId(0), from: { variable: 0 }, to: { variable: 1 } },
  };
  const searching = (fallback: number): readonly OpenApiObject[] =>
    parametersOf(nameParameters, {
      q: { description: 'What is searched for; all are listed without it.', example: first.label },
      limit: { description: `The most that are listed; ${fallback} unless given.`, example: 5 },
      offset: { description: 'How many are skipped.', example: 0 },
    });
  return [
    {
      method: 'post',
      path: '/v1/query',
      summary: 'Answers a logical query',
      description:
        'Gives the answers, each with its degree and its state, and apart from them suggestions; by the embedding the best entities, each with its score.',
      tag: 'Queries',
      ofModel: true,
      parameters: [timeoutParameter],
      requestBody: {
        required: true,
        content: {
          [json]: {
            schema: bodySchema,
            examples: {
              text: { summary: 'As text', value: text },
              tuples: {
                summary: 'As nested tuples of ids',
                value: { query: queryToBetaE(asked), ...(embeds ? { mode: 'embedding' } : {}) },
              },
              json: {
                summary: 'As JSON, only what is not recorded',
                value: {
                  query: { or: [{ entity: first.key }, { project: 0, from: { entity: 0 } }] },
                  exclude: 'known',
                  minDegree: 0.1,
                  timeoutMs: 10_000,
                },
              },
              explained: {
                summary: 'Explained, among the answers to another query',
                value: {
                  query: text.query,
                  k: 2,
                  explain: true,
                  filter: { query: formatQuery(exampleOf('1p', facts), vocabulary) },
                },
              },
            },
          },
        },
      },
      answers: answers('Answer'),
      problems: [400, 413, 415, 422, 429, 504],
    },
    {
      method: 'post',
      path: '/v1/patterns',
      summary: 'Answers a question about several variables',
      description:
        'Gives tuples of entities, one for each answer variable, with the degree of their best assignment; of a question of yes or no a row without entities if the answer is yes. `exact` says whether a better tuple may be missing.',
      tag: 'Queries',
      ofModel: true,
      parameters: [timeoutParameter],
      requestBody: {
        required: true,
        content: {
          [json]: {
            schema: jsonSchemaOf(patternBody, {
              pattern: { ...of('Pattern'), description: 'What is asked.' },
              k: { description: 'How many tuples; 10 unless given.', minimum: 1, maximum: maxK },
              minDegree: {
                description: 'The lowest degree of an answer that is not recorded; 0.5 unless given.',
                minimum: 0,
                maximum: 1,
              },
              suggestions: 'Whether the best tuples below minDegree are listed; true unless given.',
              exclude: '`known` leaves out what the recorded facts give.',
              at: 'A date such as 2001, 2001-05 or 2001-05-31: only facts count that hold at its first moment.',
              explain: 'Whether each tuple has the links that support it, variable by variable.',
              count: 'Whether it is counted how many tuples are recorded, and how many are expected.',
              exists:
                'How the degrees of the assignments of a tuple are joined: by their maximum, unless `or` asks for the ∨ of the logic.',
              links: {
                description: 'How many links are computed at most; 64 unless given.',
                minimum: 1,
                maximum: 65_536,
              },
              width: {
                description: 'How many entities are tried for a variable at most; 256 unless given.',
                minimum: 1,
                maximum: 65_536,
              },
              order:
                'Sorts the answers by the literals of an answer variable, the first unless given, before k of them are taken.',
              timeoutMs: 'How long the client waits, in milliseconds.',
            }),
            examples: {
              text: { summary: 'As text', value: { pattern: formatPattern(pair, vocabulary), k: 3 } },
              json: {
                summary: 'As JSON',
                value: { pattern: writePattern(pair, vocabulary), k: 3, explain: true },
              },
            },
          },
        },
      },
      answers: answers('PatternAnswer'),
      problems: [400, 413, 415, 422, 429, 504],
    },
    {
      method: 'post',
      path: '/v1/query/relations',
      summary: 'Counts the relations that lead on from the answers to a query',
      description:
        'For each relation: how many of the answers have it, and in how many facts. Where there is no answer, of the five best suggestions.',
      tag: 'Queries',
      ofModel: true,
      parameters: [timeoutParameter],
      requestBody: {
        required: true,
        content: {
          [json]: {
            schema: jsonSchemaOf(nextRelationsBody, {
              query: { ...of('Query'), description: 'What is asked.' },
              k: {
                description:
                  'The most answers that are looked at; 100, or all entities where there are fewer.',
                minimum: 1,
                maximum: Math.min(maxK, facts.entityCount),
              },
              timeoutMs: 'How long the client waits, in milliseconds.',
            }),
            examples: { text: { summary: 'As text', value: { query: text.query } } },
          },
        },
      },
      answers: answers('NextRelations'),
      problems: [400, 413, 415, 422, 429, 504],
    },
    {
      method: 'post',
      path: '/v1/query/batch',
      summary: 'Answers many queries, a line each',
      description:
        'Lines of JSON in and out. Answers come in the order of the lines, while later lines are still read; a line that is wrong has a problem as its answer, and the others go on. Suggestions are left out unless a line has `"suggestions": true`. Problems after the first hundred are told in short, and a batch ends with a problem without a line where problems would have more than 3 KiB and 16 times the bytes that were sent, which takes lines of one or two characters.',
      tag: 'Queries',
      ofModel: true,
      parameters: [timeoutParameter],
      requestBody: {
        required: true,
        content: Object.fromEntries(
          lineTypes.map((type) => [
            type,
            {
              schema: lineSchema,
              examples: { line: { summary: 'One line', value: { ...text, id: 'first' } } },
            },
          ]),
        ),
      },
      answers: { [lineTypes[0]!]: { schema: of('BatchLine') } },
      problems: [413, 415, 422],
    },
    {
      method: 'get',
      path: '/v1/entities',
      summary: 'Searches or lists entities',
      description:
        'By beginnings of labels and keys, words in them, parts of them and mistyped words, the best first.',
      tag: 'Names',
      ofModel: true,
      parameters: searching(10),
      answers: answers('Listing'),
      problems: [400, 422, 504],
    },
    {
      method: 'get',
      path: '/v1/entities/{id}',
      summary: 'Describes an entity: its facts, and the best new ones of each relation',
      tag: 'Names',
      ofModel: true,
      parameters: [
        {
          name: 'id',
          in: 'path',
          required: true,
          description:
            'A key or label as queries name it, else an id; `#3` is the id 3, whatever is called so.',
          example: first.key,
          schema: { type: 'string' },
        },
        ...parametersOf(entityParameters, {
          limit: { description: 'How many relations; 16 unless given.', example: 3 },
          offset: { description: 'How many relations are skipped.', example: 0 },
          recorded: {
            description: 'How many recorded entities of each relation; 10 unless given.',
            example: 5,
          },
          predicted: {
            description: 'How many predicted entities of each relation; 3 unless given.',
            example: 2,
          },
        }),
        timeoutParameter,
      ],
      answers: answers('Entity'),
      problems: [400, 404, 422, 429, 504],
    },
    {
      method: 'get',
      path: '/v1/relations',
      summary: 'Searches or lists relations',
      tag: 'Names',
      ofModel: true,
      parameters: searching(1000).map((each) => (each['name'] === 'q' ? { ...each, example: '' } : each)),
      answers: answers('Listing'),
      problems: [400, 422, 504],
    },
    {
      method: 'get',
      path: '/v1/structures',
      summary:
        'Lists the 14 query structures, each with an example over this graph, and examples of patterns',
      tag: 'Names',
      ofModel: true,
      answers: answers('Structures'),
      problems: [],
    },
    {
      method: 'get',
      path: '/v1/models',
      summary: 'Lists the models, the default first',
      tag: 'Models',
      ofModel: false,
      answers: answers('Models'),
      problems: [],
    },
    {
      method: 'get',
      path: '/v1/models/{name}',
      summary: 'Describes a model',
      tag: 'Models',
      ofModel: false,
      answers: answers('Model'),
      problems: [404],
    },
    {
      method: 'get',
      path: '/healthz',
      summary: 'Says whether the server is ready',
      tag: 'Server',
      ofModel: false,
      answers: answers('Health'),
      problems: [],
    },
    {
      method: 'get',
      path: '/',
      summary: 'Says what there is, as a page or as JSON',
      tag: 'Server',
      ofModel: false,
      answers: { ...answers('Landing'), 'text/html': { schema: { type: 'string' } } },
      problems: [],
    },
  ];
}
