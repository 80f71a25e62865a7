import type { OpenApiObject, OpenApiPart } from '@fuzzqe/api';
import { describedAnswer } from '../openapi/described-answer.ts';

/** A text that is not empty. */
export const text = (description: string): OpenApiObject => ({ type: 'string', minLength: 1, description });

const names: Readonly<Record<string, OpenApiObject>> = {
  head: text('The entity that the fact is of: a key, a label, <key>, prefix:rest or #id.'),
  relation: text('The relation: a key or a label; with ^-1 the fact is turned round.'),
  tail: text('The other entity.'),
};
const provenance: Readonly<Record<string, OpenApiObject>> = {
  source: text('Where the change comes from.'),
  date: text('When the source says so.'),
  confidence: {
    type: 'number',
    exclusiveMinimum: 0,
    maximum: 1,
    description: 'How sure the source is: the degree of the fact, which counts as recorded; 1 unless given.',
  },
  from: text('The first moment at which the fact holds: 2001, 2001-05, 2001-05-31 or 2001-05-31T10:00Z.'),
  until: text('The first moment at which the fact no longer holds, not before from.'),
};
const does: OpenApiObject = {
  enum: ['add', 'remove', 'reject'],
  description:
    'What happens to the fact; add unless given. A rejected link is no fact and has degree 0; remove takes a fact or a rejection back.',
};
const said: OpenApiObject = {
  ...{ type: 'number', minimum: 0, maximum: 1 },
  description: 'Of a judgement: the degree that the link had before.',
};
const required = ['head', 'relation', 'tail'];
/** An object without other keys. */
export const object = (properties: OpenApiObject, needed: readonly string[]): OpenApiObject => ({
  type: 'object',
  properties,
  required: needed,
  additionalProperties: false,
});

/** A schema by its name. */
export const of = (name: string): OpenApiObject => ({ $ref: `#/components/schemas/${name}` });
/** Statuses of problems with their meanings. */
export const problems = (statuses: Readonly<Record<number, string>>): Record<string, OpenApiObject> =>
  Object.fromEntries(
    Object.entries(statuses).map(([status, meaning]) => [
      status,
      describedAnswer(meaning, of('Problem'), 'application/problem+json'),
    ]),
  );
const faults = {
  500: 'A fault that lasts until somebody fixes it.',
  503: 'The store takes no changes at the moment, or the facts are being read.',
};
/** Why a write is refused. */
export const refusals: Readonly<Record<number, string>> = {
  400: 'What is no fact, with its place.',
  403: 'The caller may not write.',
  409: 'The id of another store.',
  421: 'A server that follows another one, whose address is in the header location.',
  413: 'More than a batch may have.',
  415: 'A body of another media type.',
  422: 'A name that the graph lacks, with its place.',
  504: 'The time is over before anything is written.',
  ...faults,
};
/** The epoch and the store. */
export const headers: OpenApiObject = {
  'fuzzqe-epoch': { description: 'The epoch of the store.', schema: { type: 'integer', minimum: 0 } },
  'fuzzqe-store': { description: 'The id of the store.', schema: { type: 'string' } },
};
const factParameters = Object.entries(names).map(([name, { description }]) => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', minLength: 1 },
}));
/** The id of the store. */
export const storeParameter: OpenApiObject = {
  name: 'fuzzqe-store',
  in: 'header',
  description: 'The id of the store that the caller expects.',
  schema: { type: 'string' },
};
/** The idempotency key. */
export const keyParameter: OpenApiObject = {
  name: 'idempotency-key',
  in: 'header',
  description: 'Tells a repeated request from a new one: a repeated one writes nothing.',
  schema: { type: 'string', minLength: 1, maxLength: 128 },
};
const createParameter: OpenApiObject = {
  name: 'create',
  in: 'query',
  description: 'Whether names that the graph lacks become entities and relations; false unless given.',
  schema: { enum: ['true', 'false'] },
};
/** The answer to changes. */
export const written: OpenApiObject = {
  ...describedAnswer('The changes are durable, and queries see them.', of('FactsWritten')),
  headers,
};

const keys: OpenApiObject = { type: 'array', items: text('A key.') };
/** A list, or null: what the bundle has. */
const orNull = (items: OpenApiObject): OpenApiObject => ({
  anyOf: [{ type: 'array', items }, { type: 'null' }],
});

/** What `/v1/facts` adds to the description of the API. */
export const factsOpenApi: OpenApiPart = {
  paths: {
    '/v1/facts': {
      get: {
        operationId: 'get-facts',
        tags: ['Facts'],
        summary:
          'Gives the changes of facts since an epoch, one batch a line; with the names of a fact, that fact',
        parameters: [
          ...factParameters,
          {
            name: 'since',
            in: 'query',
            description: 'The epoch after which changes are given; 0 unless given.',
            schema: { type: 'integer', minimum: 0 },
            example: 0,
          },
          {
            name: 'wait',
            in: 'query',
            description:
              'For how many seconds the request waits for a batch if there is none; 0 unless given.',
            schema: { type: 'integer', minimum: 0, maximum: 25 },
            example: 0,
          },
          storeParameter,
        ],
        responses: {
          200: {
            description: 'The batches, in order; or whether the fact is recorded, and where it comes from.',
            content: {
              'application/x-ndjson': { schema: of('FactBatch') },
              'application/json': { schema: of('FoundFact') },
            },
            headers,
          },
          ...problems({
            400: 'Another parameter.',
            409: 'The id of another store.',
            422: 'An epoch that the store does not have.',
            ...faults,
          }),
        },
      },
      post: {
        operationId: 'post-facts',
        tags: ['Facts'],
        summary: 'Adds, removes and rejects facts, which takes effect at once',
        description:
          'All changes or none. Of several changes of a fact the last wins; a fact of several lists is what the last of remove, reject and add says. Every answer of the server has the epoch of its facts as fuzzqe-epoch; every request may ask for an epoch by fuzzqe-at-least.',
        parameters: [keyParameter, storeParameter, createParameter],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { anyOf: [of('FactChanges'), of('FactChange')] } },
            'application/x-ndjson': { schema: of('FactChange') },
          },
        },
        responses: { 200: written, ...problems(refusals) },
      },
      delete: {
        operationId: 'delete-facts',
        tags: ['Facts'],
        summary: 'Removes recorded facts, or the facts of a source',
        description:
          'The fact is in the parameters of the address, or in the body; lines have a fact each, and all go or none. With source and no fact, all facts go that the source added last, as one batch; a source without facts removes 0.',
        parameters: [
          ...factParameters,
          {
            name: 'source',
            in: 'query',
            description: 'The source whose facts go.',
            schema: { type: 'string', minLength: 1 },
          },
          keyParameter,
          storeParameter,
        ],
        requestBody: {
          content: {
            'application/json': { schema: of('Fact') },
            'application/x-ndjson': { schema: of('Fact') },
          },
        },
        responses: { 200: written, ...problems(refusals) },
      },
    },
  },
  schemas: {
    Fact: object({ ...names, ...provenance }, required),
    FactChange: object({ does, ...names, ...provenance }, required),
    FactChanges: object(
      {
        add: { type: 'array', items: of('Fact'), description: 'Facts that come.' },
        remove: { type: 'array', items: of('Fact'), description: 'Facts that go, and rejections.' },
        reject: { type: 'array', items: of('Fact'), description: 'Links that are no facts.' },
      },
      [],
    ),
    FactsWritten: object(
      {
        epoch: { type: 'integer', minimum: 1, description: 'The epoch of the store with these changes.' },
        added: { type: 'integer', minimum: 0, description: 'Facts that were not there before.' },
        removed: {
          type: 'integer',
          minimum: 0,
          description: 'Facts and rejections that were there before.',
        },
        rejected: {
          type: 'integer',
          minimum: 1,
          description: 'Links that were not rejected before.',
        },
        unchanged: {
          type: 'integer',
          minimum: 0,
          description: 'Changes that leave the graph as it was.',
        },
        created: {
          type: 'integer',
          minimum: 1,
          description: 'Entities and relations that the graph did not have.',
        },
        repeated: { const: true, description: 'An earlier request had the same idempotency key.' },
      },
      ['epoch', 'added', 'removed', 'unchanged'],
    ),
    FoundFact: object(
      {
        ...names,
        recorded: { type: 'boolean', description: 'Whether the fact is recorded now.' },
        rejected: { const: true, description: 'Somebody rejected the link.' },
        provenance: {
          type: 'object',
          properties: {
            ...provenance,
            by: { type: 'string', description: 'The name of the key of the writer.' },
            at: { type: 'string', description: 'Time of the write by the clock of the server.' },
            said,
          },
          description: 'Where the fact comes from, where that is known.',
        },
      },
      [...required, 'recorded'],
    ),
    FactBatch: object(
      {
        epoch: { type: 'integer', minimum: 1 },
        at: { type: 'string', description: 'Time of the write by the clock of the server.' },
        by: { type: 'string', description: 'The name of the key of the writer.' },
        creates: object({ entities: keys, relations: keys }, []),
        names: {
          type: 'array',
          items: of('EntityNames'),
          description: 'What entities are called from now on.',
        },
        changes: {
          type: 'array',
          items: object({ does, ...names, ...provenance, said }, ['does', ...required]),
        },
      },
      ['epoch', 'at', 'changes'],
    ),
    EntityNames: object(
      {
        key: text('The key of the entity.'),
        label: { type: ['string', 'null'], description: 'Null: the label of the bundle.' },
        aliases: orNull(
          object(
            {
              kind: { enum: ['label', 'alias', 'description'] },
              language: { type: 'string' },
              text: { type: 'string' },
            },
            ['kind', 'language', 'text'],
          ),
        ),
        attributes: {
          type: 'array',
          items: object(
            {
              key: text('The attribute.'),
              values: orNull(
                object(
                  {
                    type: { enum: ['number', 'date', 'boolean', 'text'] },
                    language: { type: 'string' },
                    unit: { type: 'string' },
                    value: { type: 'string' },
                  },
                  ['type', 'language', 'unit', 'value'],
                ),
              ),
            },
            ['key', 'values'],
          ),
        },
      },
      ['key'],
    ),
  },
};
