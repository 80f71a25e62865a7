import { schema } from '@fuzzqe/core';
import { structureNames, valueOperators } from '@fuzzqe/core/query';
import { answerModes, answerStates, planKinds } from '@fuzzqe/engine';
import { aliasKinds, attributeTypes } from '@fuzzqe/names';
import type { OpenApiObject } from '../part/api-part.ts';
import { jsonSchemaOf } from './json-schema.ts';

const { array, boolean, integer, nullable, number, object, oneOf, optional, record, string } = schema;

const id = integer({ min: 0 });
const degree = number({ min: 0, max: 1 });
const named = { id, key: string, label: string };
const text = optional(string);
const provenance = optional(
  object({
    ...{ source: text, date: text, by: text, at: text, from: text, until: text },
    confidence: optional(degree),
    said: optional(degree),
  }),
);
const entry = object({ ...named, description: optional(string), trained: optional(boolean) });
const listing = object({
  total: integer({ min: 0 }),
  results: array(entry),
  misspelt: optional(boolean),
});
const attributeValue = object({
  ...{ key: string, label: string, type: oneOf(attributeTypes), language: string, unit: string },
  value: string,
});
const page = object({
  ...named,
  description: optional(string),
  names: optional(
    object({
      total: integer({ min: 0 }),
      results: array(object({ kind: oneOf(aliasKinds), language: string, text: string })),
    }),
  ),
  attributes: optional(
    object({
      total: integer({ min: 0 }),
      results: array(attributeValue),
    }),
  ),
  facts: integer({ min: 0 }),
  relations: object({
    total: integer({ min: 0 }),
    results: array(
      object({
        relation: object({ ...named, inverse: boolean }),
        recorded: object({ total: integer({ min: 0 }), results: array(object({ ...named, provenance })) }),
        predicted: array(object({ ...named, degree })),
      }),
    ),
  }),
});
const plan = object({
  kind: oneOf([...planKinds, 'sets']),
  structure: nullable(oneOf(structureNames)),
  graphs: record(integer({ min: 0 })),
});
const common = { warnings: array(string), plan };
const entityName = object(named);
const relationName = object({ ...named, inverse: boolean });
const share = number({ min: 0, max: 1 });
const count = integer({ min: 0 });
const reasons = object({
  entailed: boolean,
  rules: array(
    object({
      confidence: share,
      hits: count,
      predictions: count,
      facts: array(object({ head: entityName, relation: relationName, tail: entityName })),
    }),
  ),
  neighbours: array(entityName),
  against: array(
    object({
      kind: oneOf(['other tail', 'other head', 'unusual tail']),
      entities: array(entityName),
      share,
    }),
  ),
});
const linkWithoutTail = {
  head: entityName,
  relation: relationName,
  recorded: boolean,
  degree,
  reasons: optional(reasons),
  provenance,
};
const link = object({ ...linkWithoutTail, tail: entityName });
const part = object({ path: string, best: array(object({ ...named, degree, known: boolean })) });
const answer = object({
  ...named,
  state: oneOf(answerStates),
  degree,
  operands: optional(array(object({ degree, known: boolean }))),
  derivation: optional(schema.anything),
  links: optional(array(link)),
});
const setsAnswer = object({
  mode: oneOf(['sets']),
  answers: array(answer),
  suggestions: array(answer),
  parts: optional(array(part)),
  at: optional(string),
  ...common,
});
const embeddingAnswer = object({
  mode: oneOf(['embedding']),
  answers: array(object({ ...named, known: boolean, score: number() })),
  ...common,
});
const patternRow = object({
  entities: array(entityName),
  state: oneOf(answerStates),
  degree,
  others: record(entityName),
  value: optional(attributeValue),
  because: optional(array(object({ variable: string, derivation: schema.anything, links: array(link) }))),
  sets: optional(
    array(
      object({
        variable: string,
        where: optional(string),
        values: optional(array(attributeValue)),
        like: optional(entityName),
        shared: optional(array(object({ relation: relationName, entity: entityName, share }))),
        byModel: optional(share),
      }),
    ),
  ),
});
const patternAnswer = object({
  columns: array(string),
  rows: array(patternRow),
  suggestions: array(patternRow),
  exact: boolean,
  unseen: degree,
  counts: optional(object({ recorded: count, atLeast: boolean, expected: number({ min: 0 }) })),
  warnings: array(string),
  plan: object({ kind: oneOf(['tree', 'search']), variables: array(string), links: count }),
});
const nextRelations = object({
  answers: integer({ min: 0 }),
  results: array(
    object({ relation: relationName, answers: integer({ min: 1 }), facts: integer({ min: 1 }) }),
  ),
});
const closedModel = object({
  name: string,
  version: string,
  status: oneOf(['closed', 'opening', 'failed']),
  reason: optional(string),
});
const model = object({
  name: string,
  version: string,
  status: oneOf(['open']),
  ready: boolean,
  runtime: string,
  profile: string,
  entities: integer({ min: 1 }),
  relations: integer({ min: 1 }),
  edges: integer({ min: 1 }),
  modes: array(oneOf(answerModes)),
  warnings: array(string),
  prefixes: record(string),
  data: object({ name: string, licence: string }),
});
const structure = object({
  name: oneOf(structureNames),
  anchors: integer({ min: 1 }),
  relations: integer({ min: 1 }),
  negation: boolean,
  trained: boolean,
  example: string,
  tuple: schema.anything,
});
const patternExample = object({ kind: oneOf(['pair', 'cycle', 'not']), text: string });
const health = object({
  name: optional(string),
  runtime: optional(string),
  profile: optional(string),
  ready: boolean,
});
const landing = object({
  name: string,
  runtime: string,
  entities: integer({ min: 1 }),
  relations: integer({ min: 1 }),
  models: array(string),
  modes: array(oneOf(answerModes)),
  warnings: array(string),
  endpoints: record(string),
});

const notes = {
  degree: 'How likely it is, in [0, 1]: for a recorded fact its confidence, 1 unless given.',
  state:
    '`recorded`: the facts give it. `doubted`: they give it, but the query negates a likely link, and its degree is below 0.95. `partly`: they give some operand of the conjunction. `predicted`: they give no operand.',
  suggestions:
    'Answers are what is recorded and what has at least `minDegree`. Suggestions are the best entities below it, from a degree of 0.01 on: state none as a fact.',
  known: 'Whether the recorded facts give it by themselves.',
  reasons: 'What speaks for a predicted link, and what speaks against it.',
  provenance: 'Where a recorded fact comes from, where that is known.',
  entailed: 'Whether a declared axiom entails the link.',
  rules: 'Rules that name the tail, best first, each with recorded facts that let it: at most 3.',
  confidence:
    'Of a rule, how often it is right: hits / (predictions + 5). Of a fact, how sure its source is; 1 unless given.',
  neighbours: 'Heads that are most similar to that of the link and have its tail recorded: at most 3.',
  against:
    '`other tail`, `other head`: a recorded fact that mostly is the only one of its kind. `unusual tail`: an entity that hardly ever is such a tail.',
  warnings: 'What was likely not meant, as `code: text`.',
  total: 'How many match, whatever the page.',
  misspelt:
    'False where only names were found that have the text in them: to look for misspelt ones as well would cost too much.',
  trained:
    'Of a structure, whether the model was trained on it. False of a relation that came after the training: its facts answer, and rules that are mined from them.',
  structure: 'Which of the 14 structures the query is, or null.',
  graphs: 'How many rows of each graph it takes.',
  exact: 'Whether no better tuple was left out: false where the budget of links or of entities ended first.',
  unseen: 'The highest degree that a tuple may have which was not looked at.',
  others: 'The entities of the variables that are no answer variables and that the search gave values.',
  because: 'For each variable why its entity fulfils a condition.',
};
const output = (reader: schema.Schema<unknown>): OpenApiObject => jsonSchemaOf(reader, notes, 'output');
const of = (name: string): OpenApiObject => ({ $ref: `#/components/schemas/${name}` });

/** Why an entity answers, in the query's form. */
const derivation: OpenApiObject = {
  type: 'object',
  properties: {
    op: { enum: ['entity', 'project', 'and', 'or', 'not'] },
    entity: output(entityName),
    degree: output(degree),
    link: output(object(linkWithoutTail)),
    from: of('Derivation'),
    operand: of('Derivation'),
    operands: { type: 'array', items: of('Derivation') },
  },
  required: ['op', 'entity', 'degree'],
  additionalProperties: false,
};

/** Derivations hold derivations, which the schemas of readers do not. */
function withDerivation(answer: OpenApiObject): OpenApiObject {
  return JSON.parse(JSON.stringify(answer), (key, value) =>
    key === 'derivation' ? of('Derivation') : value,
  );
}

/** A query in the forms that requests take; names and ids are those of the model. */
const query: OpenApiObject = {
  description: 'A logical query: text, JSON, or nested tuples of ids as KGReasoning writes them.',
  anyOf: [
    { type: 'string', description: 'The notation: and(project(r, a), not(project(s, b)))' },
    { type: 'object', properties: { entity: of('Name') }, required: ['entity'], additionalProperties: false },
    {
      type: 'object',
      properties: { project: of('Name'), from: of('Query') },
      required: ['project', 'from'],
      additionalProperties: false,
    },
    ...['and', 'or'].map((operator) => ({
      type: 'object',
      properties: { [operator]: { type: 'array', items: of('Query'), minItems: 2 } },
      required: [operator],
      additionalProperties: false,
    })),
    { type: 'object', properties: { not: of('Query') }, required: ['not'], additionalProperties: false },
    { type: 'array', items: of('Tuple'), minItems: 1 },
  ],
};

const termForm: OpenApiObject = {
  description:
    'A variable as "?x"; an entity by its key, label or id; {"entity": …} where its name begins with a question mark.',
  anyOf: [
    { type: 'string' },
    { type: 'integer', minimum: 0 },
    { type: 'object', properties: { entity: of('Name') }, required: ['entity'], additionalProperties: false },
  ],
};

const conditionForm = (properties: OpenApiObject): OpenApiObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const comparedValue: OpenApiObject = { type: ['number', 'boolean', 'string'] };

/** What a pattern asks of its variables. */
const condition: OpenApiObject = {
  anyOf: [
    conditionForm({ link: of('Name'), from: of('Term'), to: of('Term') }),
    conditionForm({ same: { type: 'array', items: of('Term'), minItems: 2, maxItems: 2 } }),
    conditionForm({ in: of('Query'), variable: { type: 'string', pattern: '^\\?' } }),
    conditionForm({
      where: { type: 'string', description: 'A property whose values are literals.' },
      is: { enum: [...valueOperators] },
      value: { anyOf: [comparedValue, { type: 'array', items: comparedValue, minItems: 2, maxItems: 2 }] },
      variable: { type: 'string', pattern: '^\\?' },
    }),
    conditionForm({ like: of('Name'), variable: { type: 'string', pattern: '^\\?' } }),
    conditionForm({ not: of('Condition') }),
    conditionForm({ and: { type: 'array', items: of('Condition'), minItems: 2 } }),
    conditionForm({ or: { type: 'array', items: of('Condition'), minItems: 2 } }),
  ],
};

/** A pattern in the forms that requests take. */
const pattern: OpenApiObject = {
  description:
    'A question about variables: text or JSON. Without answer variables it is a question of yes or no.',
  anyOf: [
    { type: 'string', description: 'The notation: ?x, ?y : r(?x, ?y), s(?x, a), not t(?y, b)' },
    {
      type: 'object',
      properties: {
        select: { type: 'array', items: { type: 'string', pattern: '^\\?' } },
        where: { type: 'array', items: of('Condition'), minItems: 1 },
      },
      required: ['where'],
      additionalProperties: false,
    },
  ],
};

/** What is answered, by the names under which operations refer to it. */
export function responseSchemas(): Readonly<Record<string, OpenApiObject>> {
  return {
    Term: termForm,
    Condition: condition,
    Pattern: pattern,
    Name: {
      description: 'A key or a label, or an id; a relation with ^-1 after it is its inverse.',
      anyOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }],
    },
    Tuple: {
      anyOf: [
        { type: 'integer', minimum: -2 },
        { type: 'array', items: of('Tuple') },
      ],
    },
    Query: query,
    SetsAnswer: withDerivation(output(setsAnswer)),
    Derivation: derivation,
    EmbeddingAnswer: output(embeddingAnswer),
    Answer: { oneOf: [of('SetsAnswer'), of('EmbeddingAnswer')] },
    PatternAnswer: withDerivation(output(patternAnswer)),
    NextRelations: output(nextRelations),
    Listing: output(listing),
    Entity: output(page),
    Model: output(model),
    ClosedModel: output(closedModel),
    Models: {
      type: 'object',
      properties: { models: { type: 'array', items: { oneOf: [of('Model'), of('ClosedModel')] } } },
      required: ['models'],
      additionalProperties: false,
    },
    Structures: output(object({ structures: array(structure), patterns: array(patternExample) })),
    Health: output(health),
    Landing: output(landing),
  };
}
