import type { OpenApiObject, OpenApiPart } from '@fuzzqe/api';
import { describedAnswer } from '../openapi/described-answer.ts';
import {
  headers,
  keyParameter,
  object,
  of,
  problems,
  refusals,
  storeParameter,
  text,
} from './facts-openapi.ts';

const literal = (description: string): OpenApiObject => ({
  type: ['string', 'number', 'boolean'],
  description,
});
const value: OpenApiObject = {
  anyOf: [
    literal('A value of the type that the attribute has; a number may be a text.'),
    object(
      {
        value: literal('The value.'),
        type: { enum: ['number', 'date', 'boolean', 'text'] },
        language: { type: 'string', description: 'Of a text, such as de.' },
        unit: { type: 'string', description: 'Of a number.' },
      },
      ['value'],
    ),
  ],
};
const alias: OpenApiObject = {
  anyOf: [
    text('A further name.'),
    object(
      {
        text: text('A further name or a description.'),
        language: { type: 'string', description: 'Such as de; empty unless given.' },
        kind: { enum: ['label', 'alias', 'description'], description: 'alias unless given.' },
      },
      ['text'],
    ),
  ],
};

/** What `PATCH /v1/entities` adds to the description of the API. */
export const entitiesOpenApi: OpenApiPart = {
  paths: {
    '/v1/entities': {
      patch: {
        operationId: 'patch-entities',
        tags: ['Facts'],
        summary: 'Changes labels, further names and attributes of entities, which take effect at once',
        description:
          'All changes or none. Each part that is given replaces what the entity had; null takes a part back to what the bundle has. An attribute that is not named keeps its values.',
        parameters: [keyParameter, storeParameter],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                anyOf: [of('EntityChange'), { type: 'array', items: of('EntityChange'), minItems: 1 }],
              },
            },
            'application/x-ndjson': { schema: of('EntityChange') },
          },
        },
        responses: {
          200: {
            ...describedAnswer('The changes are durable, and everything sees them.', of('NamesWritten')),
            headers,
          },
          ...problems({
            ...refusals,
            400: 'An invalid change, an entity twice, or a value of another type, with its place.',
          }),
        },
      },
    },
  },
  schemas: {
    EntityChange: object(
      {
        entity: {
          anyOf: [text('A key, a label, <key>, prefix:rest or #id.'), { type: 'integer', minimum: 0 }],
        },
        label: {
          type: ['string', 'null'],
          minLength: 1,
          description: 'Null: the label that the bundle has, or the key.',
        },
        aliases: {
          anyOf: [{ type: 'array', items: alias }, { type: 'null' }],
          description: 'All further names and descriptions. Null: those of the bundle.',
        },
        attributes: {
          type: 'object',
          additionalProperties: { anyOf: [value, { type: 'array', items: value }, { type: 'null' }] },
          description:
            'By attribute, its value or values. An empty list removes; null: the values of the bundle.',
        },
      },
      ['entity'],
    ),
    NamesWritten: object(
      {
        epoch: { type: 'integer', minimum: 1, description: 'The epoch of the store with these changes.' },
        changed: { type: 'integer', minimum: 0, description: 'Entities whose names or attributes were set.' },
        repeated: { const: true, description: 'An earlier request had the same idempotency key.' },
      },
      ['epoch', 'changed'],
    ),
  },
};
