import {
  answered,
  type Declaration,
  type Declare,
  dateForm,
  type FieldNotes,
  type Form,
  timeoutForm,
  timeoutHeader,
} from '@fuzzqe/api';
import { schema } from '@fuzzqe/core';
import type { Engine } from '@fuzzqe/engine';
import { changeKinds, dateText, factFields, namesSchema, textForm } from '@fuzzqe/facts';
import { epochHeader } from '@fuzzqe/facts/apply';
import { storeHeader } from '../epochs/epoch-gate.ts';
import { addressFields } from './one-fact.ts';
import { changeSchema, factSchema } from './read-changes.ts';

const { array, boolean, integer, number, object, oneOf, optional, string } = schema;
const count = integer({ min: 0 });
const positive = integer({ min: 1 });
const { head, relation, tail, source } = factFields;
const { since, wait, create } = addressFields;

/** The header that tells a repeated request from a new one. */
export const idempotencyHeader = 'idempotency-key';
/** Most characters of its value. */
export const longestKey = 128;

/** Headers of requests about a store. */
export const storeHeaders: Readonly<Record<string, Form>> = {
  [storeHeader]: { type: 'string' },
  [timeoutHeader]: timeoutForm,
};
/** Headers of requests that write. */
export const writeHeaders: Readonly<Record<string, Form>> = {
  [idempotencyHeader]: { type: 'string', minLength: 1, maxLength: longestKey },
  ...storeHeaders,
};
/** Headers of answers with an epoch. */
export const epochHeaders: Readonly<Record<string, Form>> = { [epochHeader]: count, [storeHeader]: string };

/** What changes came to. */
export const factsWritten: schema.Schema<unknown> = object({
  epoch: positive,
  added: count,
  removed: count,
  rejected: optional(positive),
  unchanged: count,
  created: optional(positive),
  repeated: optional(boolean),
});

/** Why a write is refused. */
export const refusals: Readonly<Record<number, string>> = {
  400: 'an invalid change, with its place.',
  403: 'the caller may not write.',
  409: 'the id of another store.',
  413: 'more than a batch may have.',
  415: 'a body of another media type.',
  421: 'a server that follows another one, whose address is in the header location.',
  422: 'a name that the graph lacks, with its place.',
  504: 'the time is over before anything is written.',
};

/** Lists of facts, of which one is not empty. */
export const listsOf = (...names: readonly string[]): Form => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'array', items: factSchema }])),
  additionalProperties: false,
  anyOf: names.map((name) => ({ properties: { [name]: { type: 'array', minItems: 1 } }, required: [name] })),
});

/** A fact of a graph. */
export const exampleFact = ({ vocabulary }: Pick<Engine, 'vocabulary'>): object => ({
  head: vocabulary.entity(0).key,
  relation: vocabulary.relation(0).key,
  tail: vocabulary.entity(1).key,
});

/** What the fields of facts mean. */
export const factNotes: FieldNotes = {
  head: 'The entity that the fact is of: a key, a label, <key>, prefix:rest or #id.',
  relation: 'The relation: a key or a label; with ^-1 the fact is turned round.',
  tail: 'The other entity.',
  source: 'Where the change comes from.',
  date: 'When the source says so.',
  confidence: 'How sure the source is: the degree of the fact, which counts as recorded; 1 unless given.',
  from: 'The first moment at which the fact holds: 2001, 2001-05, 2001-05-31 or 2001-05-31T10:00Z.',
  until: 'The first moment at which the fact no longer holds, not before from.',
  does: 'What happens to the fact; add unless given. A rejected link is no fact and has degree 0; remove takes a fact or a rejection back.',
  said: 'Of a judgement: the degree that the link had before.',
  since: { description: 'The epoch after which changes are given; 0 unless given.', example: 0 },
  wait: {
    description: 'For how many seconds the request waits for a batch if there is none; 0 unless given.',
    example: 0,
  },
  create: 'Whether names that the graph lacks become entities and relations; false unless given.',
  [idempotencyHeader]: 'Tells a repeated request from a new one: a repeated one writes nothing.',
  [storeHeader]: 'The id of the store: of a request, the one that the caller expects.',
  [timeoutHeader]: 'How long the client waits, in milliseconds.',
  [epochHeader]: 'The epoch of the store.',
  epoch: 'The epoch of the store with these changes.',
  at: 'Time of the write by the clock of the server.',
  by: 'The name of the key of the writer.',
  added: 'Facts that were not there before.',
  removed: 'Facts and rejections that were there before.',
  rejected: 'Links that were not rejected before; of a fact, whether somebody rejected the link.',
  unchanged: 'Changes that leave the graph as it was.',
  created: 'Entities and relations that the graph did not have.',
  repeated: 'An earlier request had the same idempotency key.',
  recorded: 'Whether the fact is recorded now.',
  provenance: 'Where the fact comes from, where that is known.',
  names: 'What entities are called from now on.',
  add: 'Facts that come.',
  remove: 'Facts that go, and rejections.',
  reject: 'Links that are no facts.',
};

const said = optional(number({ min: 0, max: 1 }));
const keys = optional(array(head));
const { head: _, relation: __, tail: ___, ...provenance } = factFields;
const found = object({
  ...{ head, relation, tail, recorded: boolean, rejected: optional(boolean) },
  provenance: optional(object({ ...provenance, by: optional(string), at: optional(string), said })),
});
const batch = object({
  epoch: positive,
  at: string,
  by: optional(string),
  creates: optional(object({ entities: keys, relations: keys })),
  names: optional(array(namesSchema)),
  changes: array(object({ does: oneOf(changeKinds), ...factFields, said })),
});
const changes = listsOf('add', 'remove', 'reject');
const lines = 'application/x-ndjson';

const write: Pick<Declaration, 'tag' | 'headers' | 'answers' | 'problems'> = {
  tag: 'Facts',
  headers: writeHeaders,
  answers: {
    200: {
      ...answered(factsWritten, 'The changes are durable, and queries see them.'),
      headers: epochHeaders,
    },
  },
  problems: refusals,
};

/** What `/v1/facts` reads and answers. */
export const declareFacts: Declare = (_, engine) => ({
  notes: factNotes,
  stated: [
    [head, textForm],
    [dateText, dateForm],
  ],
  schemas: {
    Fact: factSchema,
    FactChange: changeSchema,
    FactChanges: changes,
    FactsWritten: factsWritten,
    FoundFact: found,
    FactBatch: batch,
    EntityNames: namesSchema,
  },
  routes: {
    'GET /v1/facts': {
      tag: 'Facts',
      summary:
        'Gives the changes of facts since an epoch, one batch a line; with the names of a fact, that fact',
      query: object({
        ...{ head: optional(head), relation: optional(relation), tail: optional(tail) },
        ...{ since: optional(since), wait: optional(wait) },
      }),
      headers: storeHeaders,
      answers: {
        200: {
          meaning: 'The batches, in order; or whether the fact is recorded, and where it comes from.',
          content: { [lines]: batch, 'application/json': found },
          headers: epochHeaders,
        },
      },
      problems: {
        400: 'another parameter.',
        409: 'the id of another store.',
        422: 'an epoch that the store does not have.',
        504: '',
      },
    },
    'POST /v1/facts': {
      ...write,
      summary: 'Adds, removes and rejects facts, which takes effect at once',
      description:
        'All changes or none. Of several changes of a fact the last wins; a fact of several lists is what the last of remove, reject and add says. Every answer of the server has the epoch of its facts as fuzzqe-epoch; every request may ask for an epoch by fuzzqe-at-least.',
      query: object({ create }),
      body: { 'application/json': { anyOf: [changes, changeSchema] }, [lines]: changeSchema },
      examples: { added: { summary: 'A fact that comes', value: { add: [exampleFact(engine)] } } },
    },
    'DELETE /v1/facts': {
      ...write,
      summary: 'Removes recorded facts, or the facts of a source',
      description:
        'The fact is in the parameters of the address, or in the body; lines have a fact each, and all go or none. With source and no fact, all facts go that the source added last, as one batch; a source without facts removes 0.',
      query: object({ head: optional(head), relation: optional(relation), tail: optional(tail), source }),
      body: { 'application/json': factSchema, [lines]: factSchema },
      mayLackBody: true,
      examples: { removed: { summary: 'A fact that goes', value: exampleFact(engine) } },
    },
  },
});
