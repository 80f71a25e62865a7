import { schema } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import { answerModes, answerStates, planKinds } from '@fuzzqe/engine';
import { aliasKinds, attributeTypes } from '@fuzzqe/names';
import { type FieldNotes, type Form, formNamed, type OpenApiObject } from '../part/declaration.ts';
import { problemNotes, problemSchemas } from './problem-forms.ts';

const { array, boolean, integer, nullable, number, object, oneOf, optional, record, string, union } = schema;

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
const anyAnswer = union([setsAnswer, embeddingAnswer]);
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
const line = { line: optional(integer({ min: 1 })), id: optional(union([string, number()])) };

/** What the fields of answers mean. */
export const answerNotes: FieldNotes = {
  ...problemNotes,
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
  derivation: formNamed('Derivation'),
  because: 'For each variable why its entity fulfils a condition.',
  line: 'Which line of the request it answers.',
};

/** Why an entity answers, in the query's form. Derivations hold derivations, which readers do not. */
const derivation: OpenApiObject = {
  type: 'object',
  properties: {
    op: { enum: ['entity', 'project', 'and', 'or', 'not'] },
    entity: entityName,
    degree,
    link: object(linkWithoutTail),
    from: formNamed('Derivation'),
    operand: formNamed('Derivation'),
    operands: { type: 'array', items: formNamed('Derivation') },
  },
  required: ['op', 'entity', 'degree'],
  additionalProperties: false,
};

/** The names of answers. */
type AnswerName =
  | 'Plan'
  | 'Reasons'
  | 'AnswerLink'
  | 'RankedEntity'
  | 'PatternRow'
  | 'SetsAnswer'
  | 'Derivation'
  | 'EmbeddingAnswer'
  | 'Answer'
  | 'PatternAnswer'
  | 'NextRelations'
  | 'Listing'
  | 'Entity'
  | 'Model'
  | 'ClosedModel'
  | 'Models'
  | 'Structures'
  | 'Health'
  | 'Landing'
  | 'BatchLine';

/** What is answered, by the names under which documents refer to it. */
export const answerForms: Readonly<Record<AnswerName, Form>> = {
  Plan: plan,
  Reasons: reasons,
  AnswerLink: link,
  RankedEntity: answer,
  PatternRow: patternRow,
  SetsAnswer: setsAnswer,
  Derivation: derivation,
  EmbeddingAnswer: embeddingAnswer,
  Answer: anyAnswer,
  PatternAnswer: patternAnswer,
  NextRelations: nextRelations,
  Listing: listing,
  Entity: page,
  Model: model,
  ClosedModel: closedModel,
  Models: object({ models: array(union([model, closedModel])) }),
  Structures: object({ structures: array(structure), patterns: array(patternExample) }),
  Health: health,
  Landing: landing,
  ...problemSchemas,
  BatchLine: union([
    object({ ...line, line: integer({ min: 1 }), answer: anyAnswer }),
    object({ ...line, problem: problemSchemas.LineProblem }),
  ]),
};
