import { mostLinks, mostTuples } from '@fuzzqe/engine';
import { type FieldNotes, type OpenApiObject, formNamed as of } from './declaration.ts';

/** A date in a request, but for the leap days of other years. */
export const dateForm: OpenApiObject = {
  type: 'string',
  pattern:
    '^\\s*(?!-?\\d{4,6}-(?:(?:0[469]|11)-31|02-3))-?\\d{4,6}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\\d|3[01])(?:[T ](?:[01]\\d|2[0-4]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?)?)?)?(?:Z|[+-]\\d{2}:?\\d{2})?\\s*$',
};

/** What requests have in common. */
const commonNotes: FieldNotes = {
  query: { ...of('Query'), description: 'What is asked.' },
  pattern: { ...of('Pattern'), description: 'What is asked.' },
  minDegree: {
    description: 'The lowest degree of an answer that is not recorded; 0.5 unless given; in mode sets.',
    minimum: 0,
    maximum: 1,
  },
  exclude: '`known` leaves out what the recorded facts give.',
  at: {
    ...dateForm,
    description:
      'A date such as 2001, 2001-05, 2001-05-31 or 2001-05-31T10:00Z: only facts count that hold at its first moment; in mode sets.',
  },
  timeoutMs: 'How long the client waits, in milliseconds.',
};

/** What the fields of queries mean, and the bounds that the engine holds them to. */
export const queryNotes = (maxK: number, entityCount: number): FieldNotes => ({
  ...commonNotes,
  k: {
    description: 'How many answers and suggestions together; 10, or all entities where there are fewer.',
    minimum: 1,
    maximum: Math.min(maxK, entityCount),
  },
  mode: 'By fuzzy sets of entities, with degrees, or by the embedding of the query, with scores.',
  suggestions:
    'Whether the best entities below minDegree are listed; true unless given, false in a batch; in mode sets.',
  explain:
    'Whether the answer lists the best entities of every part of the query, and for every answer the links that support it; in mode sets.',
  filter: {
    description:
      'Which entities may be answers: those of these ids, or the answers to a query, recorded or of a degree.',
    oneOf: [
      {
        type: 'object',
        properties: {
          ids: { type: 'array', items: { type: 'integer', minimum: 0, maximum: entityCount - 1 } },
        },
        required: ['ids'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: {
          query: of('Query'),
          minDegree: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
        },
        required: ['query'],
        additionalProperties: false,
      },
    ],
  },
});

/** As `queryNotes`, of patterns. */
export const patternNotes = (maxK: number): FieldNotes => ({
  ...commonNotes,
  k: { description: 'How many tuples; 10 unless given.', minimum: 1, maximum: Math.min(maxK, mostTuples) },
  suggestions: 'Whether the best tuples below minDegree are listed; true unless given.',
  explain: 'Whether each tuple has the links that support it, variable by variable.',
  count: 'Whether it is counted how many tuples are recorded, and how many are expected.',
  exists:
    'How the degrees of the assignments of a tuple are joined: by their maximum, unless `or` asks for the ∨ of the logic.',
  links: {
    description: 'How many links are computed at most; 64 unless given.',
    minimum: 1,
    maximum: mostLinks,
  },
  width: {
    description: 'How many entities are tried for a variable at most; 256 unless given.',
    minimum: 1,
    maximum: mostLinks,
  },
  property: { description: 'A property whose values are literals.', minLength: 1 },
  variable: { description: 'An answer variable, without its question mark.', minLength: 1 },
  order:
    'Sorts the answers by the literals of an answer variable, the first unless given, before k of them are taken.',
});
