import { modesOf } from '@fuzzqe/bundle';
import { asRelationId, schema } from '@fuzzqe/core';
import { formatPattern, formatQuery, type Pattern, queryToBetaE, writePattern } from '@fuzzqe/core/query';
import { answered, type Declaration, type Declare, type FieldNotes, titled } from '../part/declaration.ts';
import { patternNotes, queryNotes } from '../part/query-notes.ts';
import { lineTypes } from '../v1/batch-route.ts';
import { entityParameters } from '../v1/entity-route.ts';
import { nameParameters } from '../v1/names-route.ts';
import { nextRelationsBody } from '../v1/next-relations-route.ts';
import { patternBody } from '../v1/patterns-route.ts';
import { queryBody } from '../v1/query-request.ts';
import { exampleOf } from '../v1/structures-route.ts';
import { timeoutForm, timeoutHeader } from '../v1/time-limit.ts';
import { answerForms, answerNotes } from './answer-forms.ts';
import { queryForms } from './query-forms.ts';

const json = 'application/json';
/** Every route with a deadline. */
const headers = { [timeoutHeader]: timeoutForm };

/** What the API itself answers, with examples over the graph of a model. */
export const v1Declarations: Declare = ({ maxK }, { vocabulary, facts, manifest }) => {
  const { entityCount } = facts;
  const asked = exampleOf('2i', facts);
  const text = { query: formatQuery(asked, vocabulary), k: Math.min(5, entityCount) };
  const notes: FieldNotes = {
    ...queryNotes(maxK, entityCount),
    [timeoutHeader]: 'How long the client waits, in milliseconds.',
  };
  const first = vocabulary.entity(0);
  const pair: Pattern = {
    variables: ['x', 'y'],
    answers: [0, 1],
    where: { op: 'link', relation: asRelationId(0), from: { variable: 0 }, to: { variable: 1 } },
  };
  const query = { tag: 'Queries', headers, notes, problems: titled(400, 413, 415, 422, 429, 504) };
  const listing = (summary: string, fallback: number, q: string): Declaration => ({
    ...{ tag: 'Names', summary, headers, query: nameParameters },
    description:
      'By beginnings of labels and keys, words in them, parts of them and mistyped words, the best first.',
    notes: {
      ...notes,
      q: { description: 'What is searched for; all are listed without it.', example: q },
      limit: { description: `The most that are listed; ${fallback} unless given.`, example: 5 },
      offset: { description: 'How many are skipped.', example: 0 },
    },
    answers: { 200: answered(answerForms.Listing) },
    problems: titled(400, 422, 504),
  });
  return {
    notes: answerNotes,
    stated: [
      [queryBody, ofModes],
      [batchLine, ofModes],
    ],
    schemas: { ...queryForms(vocabulary), ...answerForms },
    routes: {
      'POST /v1/query': {
        ...query,
        summary: 'Answers a logical query',
        description:
          'Gives the answers, each with its degree and its state, and apart from them suggestions; by the embedding the best entities, each with its score.',
        body: { [json]: queryBody },
        examples: {
          text: { summary: 'As text', value: text },
          tuples: {
            summary: 'As nested tuples of ids',
            value: {
              query: queryToBetaE(asked),
              ...(modesOf(manifest).includes('embedding') ? { mode: 'embedding' } : {}),
            },
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
        answers: { 200: answered(answerForms.Answer) },
      },
      'POST /v1/patterns': {
        ...query,
        summary: 'Answers a question about several variables',
        description:
          'Gives tuples of entities, one for each answer variable, with the degree of their best assignment; of a question of yes or no a row without entities if the answer is yes. `exact` says whether a better tuple may be missing.',
        notes: { ...notes, ...patternNotes(maxK) },
        body: { [json]: patternBody },
        examples: {
          text: { summary: 'As text', value: { pattern: formatPattern(pair, vocabulary), k: 3 } },
          json: {
            summary: 'As JSON',
            value: { pattern: writePattern(pair, vocabulary), k: 3, explain: true },
          },
        },
        answers: { 200: answered(answerForms.PatternAnswer) },
      },
      'POST /v1/query/relations': {
        ...query,
        summary: 'Counts the relations that lead on from the answers to a query',
        description:
          'For each relation: how many of the answers have it, and in how many facts. Where there is no answer, of the five best suggestions.',
        notes: {
          ...notes,
          k: {
            description: 'The most answers that are looked at; 100, or all entities where there are fewer.',
            minimum: 1,
            maximum: Math.min(maxK, entityCount),
          },
        },
        body: { [json]: nextRelationsBody },
        examples: { text: { summary: 'As text', value: { query: text.query } } },
        answers: { 200: answered(answerForms.NextRelations) },
      },
      'POST /v1/query/batch': {
        ...query,
        summary: 'Answers many queries, a line each',
        description:
          'Lines of JSON in and out. Answers come in the order of the lines, while later lines are still read; a line that is wrong has a problem as its answer, and the others go on. Suggestions are left out unless a line has `"suggestions": true`. Problems after the first hundred are told in short, and a batch ends with a problem without a line where problems would have more than 3 KiB and 16 times the bytes that were sent, which takes lines of one or two characters.',
        notes: { ...notes, id: 'Comes back with the answer.' },
        body: Object.fromEntries(lineTypes.map((type) => [type, batchLine])),
        examples: { line: { summary: 'One line', value: { ...text, id: 'first' } } },
        answers: { 200: { content: { [lineTypes[0]!]: answerForms.BatchLine } } },
        problems: titled(413, 415, 422),
      },
      'GET /v1/entities': listing('Searches or lists entities', 10, first.label),
      'GET /v1/entities/:id': {
        ...{ tag: 'Names', headers, query: entityParameters },
        summary: 'Describes an entity: its facts, and the best new ones of each relation',
        path: {
          id: {
            type: 'string',
            description:
              'A key or label as queries name it, else an id; `#3` is the id 3, whatever is called so.',
            example: first.key,
          },
        },
        notes: {
          ...notes,
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
        },
        answers: { 200: answered(answerForms.Entity) },
        problems: titled(400, 422, 429, 504),
      },
      'GET /v1/relations': listing('Searches or lists relations', 1000, ''),
      'GET /v1/structures': {
        tag: 'Names',
        summary:
          'Lists the 14 query structures, each with an example over this graph, and examples of patterns',
        answers: { 200: answered(answerForms.Structures) },
      },
      'GET /v1/models': {
        tag: 'Models',
        summary: 'Lists the models, the default first',
        answers: { 200: answered(answerForms.Models) },
      },
      'GET /v1/models/:name': {
        tag: 'Models',
        summary: 'Describes a model',
        answers: { 200: answered(answerForms.Model) },
      },
      'GET /healthz': {
        tag: 'Server',
        summary: 'Says whether the server is ready',
        answers: { 200: answered(answerForms.Health), 503: answered(answerForms.Health, 'Not ready.') },
      },
      'GET /': {
        tag: 'Server',
        summary: 'Says what there is, as a page or as JSON',
        answers: { 200: { content: { [json]: answerForms.Landing, 'text/html': { type: 'string' } } } },
      },
    },
  };
};

/** Options of the mode sets alone. */
const ofModes = {
  if: { properties: { mode: { const: 'embedding' } }, required: ['mode'] },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
  then: {
    properties: {
      ...{ minDegree: false, at: false },
      ...{ suggestions: { const: false }, explain: { const: false } },
    },
  },
};

/** A query with an id of the sender. A reader of an object has its fields. */
const batchLine = schema.object({
  ...(queryBody as unknown as { readonly entries: Readonly<Record<string, schema.Schema<unknown>>> }).entries,
  id: schema.optional(schema.union([schema.string, schema.number()])),
});
