import { answered, type Declare, timeoutForm, timeoutHeader } from '@fuzzqe/api';
import { schema } from '@fuzzqe/core';
import { storeHeader } from '../epochs/epoch-gate.ts';
import {
  epochHeaders,
  exampleFact,
  factNotes,
  factsWritten,
  listsOf,
  refusals,
  storeHeaders,
  writeHeaders,
} from '../facts/facts-declarations.ts';

const { array, integer, number, object, oneOf, optional, string } = schema;

/** What an address of a write says. */
export const writeSchema: schema.Schema<{
  readonly conflicts: 'refuse' | 'accept';
  readonly check: 'true' | 'false';
}> = object({
  conflicts: schema.withDefault(oneOf(['refuse', 'accept']), 'refuse'),
  check: schema.withDefault(oneOf(['true', 'false']), 'false'),
});
/** What an address that asks for proposals says. */
export const nextSchema: schema.Schema<{
  readonly limit?: number;
  readonly entity?: string;
  readonly relation?: string;
}> = object({
  limit: optional(schema.integerText({ min: 1, max: 100 })),
  entity: optional(string),
  relation: optional(string),
});

const share = number({ min: 0, max: 1 });
const count = integer({ min: 0 });
const judged = { accepted: count, rejected: count, said: share, found: share, spread: number({ min: 0 }) };
const named = object({ key: string, label: string });
const conflicts = object({
  conflicts: array(
    object({
      ...{ head: string, relation: string, tail: string, message: string },
      kind: oneOf(['secondTail', 'secondHead', 'opposite', 'selfLoop', 'rejected']),
    }),
  ),
});
const report = object({
  ...judged,
  weeks: array(object({ begins: string, ...judged })),
  relations: array(object({ key: string, label: string, ...judged })),
});
const next = object({
  results: array(
    object({
      ...{ head: named, relation: named, tail: named, degree: share, teaches: share },
      conflicts: array(string),
    }),
  ),
});
const judgements = listsOf('accept', 'reject');

/** What `/v1/judgements` reads and answers. */
export const declareJudgements: Declare = (_, engine) => ({
  schemas: {
    Judgements: judgements,
    JudgementConflicts: conflicts,
    DriftReport: report,
    NextJudgements: next,
  },
  notes: {
    ...factNotes,
    accept: 'Links that are facts.',
    conflicts:
      'What speaks against facts. In an address: whether facts are accepted in spite of them; refuse unless given.',
    check: 'With true, nothing is written, and the conflicts are shown.',
    limit: 'How many; 20 unless given.',
    entity: { description: 'Links of this entity alone.', minLength: 1 },
    said: 'The degree that the link had before; the mean of several.',
    found: 'The share of accepted links.',
    spread: 'The standard deviation that found has by chance where the degrees are right.',
    weeks: 'The newest week first.',
    relations: 'The relations with the most judgements.',
    degree: 'How likely the link is a fact.',
    teaches: 'How much a judgement teaches.',
  },
  routes: {
    'POST /v1/judgements': {
      tag: 'Judgements',
      summary: 'Accepts links as facts, and rejects links that are no facts',
      description:
        'Each judgement is kept with the degree that the link had before, its writer and its time. A judgement of what is recorded or rejected already changes nothing. Accepted facts with conflicts are refused, all together, unless conflicts=accept.',
      query: writeSchema,
      headers: writeHeaders,
      body: { 'application/json': judgements },
      examples: { rejected: { summary: 'A rejected link', value: { reject: [exampleFact(engine)] } } },
      answers: {
        200: {
          meaning: 'The judgements are durable, and queries see them; or the conflicts.',
          content: { 'application/json': { anyOf: [factsWritten, conflicts] } },
          headers: epochHeaders,
        },
      },
      problems: { ...refusals, 409: 'conflicts of accepted facts, or the id of another store.' },
    },
    'GET /v1/judgements': {
      tag: 'Judgements',
      summary: 'Reports said and found over the judged links, by week and by relation',
      headers: { [storeHeader]: storeHeaders[storeHeader]! },
      answers: { 200: answered(report, 'The last judgement of each link counts.') },
      problems: { 400: 'a parameter.', 409: 'the id of another store.' },
    },
    'GET /v1/judgements/next': {
      tag: 'Judgements',
      summary: 'Proposes links whose judgement teaches most',
      query: nextSchema,
      notes: { relation: { description: 'Links of this relation alone.', minLength: 1 } },
      headers: { [timeoutHeader]: timeoutForm },
      answers: { 200: answered(next, 'The links, the most instructive first.') },
      problems: { 400: 'another parameter.', 422: 'a name that the graph lacks.', 504: '' },
    },
  },
});
