import { answered, type Declare, type OpenApiObject } from '@fuzzqe/api';
import { schema } from '@fuzzqe/core';
import { textForm } from '@fuzzqe/facts';
import { epochHeaders, factNotes, refusals, writeHeaders } from './facts-declarations.ts';
import { entitySchema } from './read-names.ts';

const namesWritten = schema.object({
  epoch: schema.integer({ min: 1 }),
  changed: schema.integer({ min: 0 }),
  repeated: schema.optional(schema.boolean),
});
const lines: OpenApiObject = { anyOf: [entitySchema, { type: 'array', items: entitySchema, minItems: 1 }] };

/** What `PATCH /v1/entities` reads and answers. */
export const declareEntities: Declare = (_, { vocabulary }) => {
  const first = vocabulary.entity(0);
  return {
    schemas: { EntityChange: entitySchema, NamesWritten: namesWritten },
    // An entity and what is changed of it.
    stated: [[entitySchema, { minProperties: 2 }]],
    notes: {
      ...factNotes,
      entity: 'A key, a label, <key>, prefix:rest or #id; or an id.',
      label: 'Null: the label that the bundle has, or the key.',
      aliases: 'All further names and descriptions. Null: those of the bundle.',
      attributes: {
        description:
          'By attribute, its value or values. An empty list removes; null: the values of the bundle. A value has the type of the attribute; a number may be a text.',
        propertyNames: textForm,
      },
      language: 'Of a text, such as de; empty unless given.',
      unit: 'Of a number.',
      changed: 'Entities whose names or attributes were set.',
    },
    routes: {
      'PATCH /v1/entities': {
        tag: 'Facts',
        summary: 'Changes labels, further names and attributes of entities, which take effect at once',
        description:
          'All changes or none. Each part that is given replaces what the entity had; null takes a part back to what the bundle has. An attribute that is not named keeps its values.',
        headers: writeHeaders,
        body: { 'application/json': lines, 'application/x-ndjson': entitySchema },
        examples: {
          label: { summary: 'A label', value: { entity: first.key, label: first.label } },
        },
        answers: {
          200: {
            ...answered(namesWritten, 'The changes are durable, and everything sees them.'),
            headers: epochHeaders,
          },
        },
        problems: {
          ...refusals,
          400: 'an invalid change, an entity twice, or a value of another type, with its place.',
        },
      },
    },
  };
};
