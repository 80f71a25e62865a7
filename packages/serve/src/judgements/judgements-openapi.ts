import type { OpenApiObject, OpenApiPart } from '@fuzzqe/api';
import {
  keyParameter,
  object,
  of,
  problems,
  refusals,
  storeParameter,
  text,
  written,
} from '../facts/facts-openapi.ts';
import { describedAnswer } from '../openapi/described-answer.ts';

const share = (description: string): OpenApiObject => ({
  type: 'number',
  minimum: 0,
  maximum: 1,
  description,
});
const count: OpenApiObject = { type: 'integer', minimum: 0 };
const judged: Readonly<Record<string, OpenApiObject>> = {
  accepted: count,
  rejected: count,
  said: share('The mean of the degrees that the links had before.'),
  found: share('The share of accepted links.'),
  spread: {
    type: 'number',
    minimum: 0,
    description: 'The standard deviation that found has by chance where the degrees are right.',
  },
};
const named = object({ key: text('The key.'), label: text('The label.') }, ['key', 'label']);
const parameter = (name: string, description: string, schema: OpenApiObject): OpenApiObject => ({
  ...{ name, in: 'query', description, schema },
});
const names = {
  head: text('The key of the head.'),
  relation: text('The key of the relation.'),
  tail: text('The key of the tail.'),
};

/** What `/v1/judgements` adds to the description of the API. */
export const judgementsOpenApi: OpenApiPart = {
  paths: {
    '/v1/judgements': {
      post: {
        operationId: 'post-judgements',
        tags: ['Judgements'],
        summary: 'Accepts links as facts, and rejects links that are no facts',
        description:
          'Each judgement is kept with the degree that the link had before, its writer and its time. A judgement of what is recorded or rejected already changes nothing. Accepted facts with conflicts are refused, all together, unless conflicts=accept.',
        parameters: [
          parameter('check', 'With true, nothing is written, and the conflicts are shown.', {
            enum: ['true', 'false'],
          }),
          parameter('conflicts', 'Whether facts are accepted in spite of conflicts; refuse unless given.', {
            enum: ['refuse', 'accept'],
          }),
          keyParameter,
          storeParameter,
        ],
        requestBody: { required: true, content: { 'application/json': { schema: of('Judgements') } } },
        responses: {
          200: {
            ...written,
            content: {
              'application/json': { schema: { anyOf: [of('FactsWritten'), of('JudgementConflicts')] } },
            },
          },
          ...problems({ ...refusals, 409: 'Conflicts of accepted facts, or the id of another store.' }),
        },
      },
      get: {
        operationId: 'get-judgements',
        tags: ['Judgements'],
        summary: 'Reports said and found over the judged links, by week and by relation',
        parameters: [storeParameter],
        responses: {
          200: describedAnswer('The last judgement of each link counts.', of('DriftReport')),
          ...problems({
            400: 'A parameter.',
            409: 'The id of another store.',
            503: 'The facts are being read.',
          }),
        },
      },
    },
    '/v1/judgements/next': {
      get: {
        operationId: 'get-next-judgements',
        tags: ['Judgements'],
        summary: 'Proposes links whose judgement teaches most',
        parameters: [
          parameter('limit', 'How many; 20 unless given.', { type: 'integer', minimum: 1, maximum: 100 }),
          parameter('entity', 'Links of this entity alone.', { type: 'string', minLength: 1 }),
          parameter('relation', 'Links of this relation alone.', { type: 'string', minLength: 1 }),
        ],
        responses: {
          200: describedAnswer('The links, the most instructive first.', of('NextJudgements')),
          ...problems({
            400: 'Another parameter.',
            422: 'A name that the graph lacks.',
            503: 'The facts are being read.',
          }),
        },
      },
    },
  },
  schemas: {
    Judgements: object(
      {
        accept: { type: 'array', items: of('Fact'), description: 'Links that are facts.' },
        reject: { type: 'array', items: of('Fact'), description: 'Links that are no facts.' },
      },
      [],
    ),
    JudgementConflicts: object(
      {
        conflicts: {
          type: 'array',
          items: object(
            {
              ...names,
              kind: { enum: ['secondTail', 'secondHead', 'opposite', 'selfLoop', 'rejected'] },
              message: text('What speaks against the fact.'),
            },
            ['head', 'relation', 'tail', 'kind', 'message'],
          ),
        },
      },
      ['conflicts'],
    ),
    DriftReport: object(
      {
        ...judged,
        weeks: {
          type: 'array',
          items: object({ begins: { type: 'string', format: 'date' }, ...judged }, [
            ...['begins', ...Object.keys(judged)],
          ]),
          description: 'The newest week first.',
        },
        relations: {
          type: 'array',
          items: object({ key: text('The key.'), label: text('The label.'), ...judged }, [
            ...['key', 'label', ...Object.keys(judged)],
          ]),
          description: 'The relations with the most judgements.',
        },
      },
      [...Object.keys(judged), 'weeks', 'relations'],
    ),
    NextJudgements: object(
      {
        results: {
          type: 'array',
          items: object(
            {
              ...{ head: named, relation: named, tail: named },
              degree: share('How likely the link is a fact.'),
              teaches: share('How much a judgement teaches.'),
              conflicts: {
                type: 'array',
                items: { type: 'string' },
                description: 'What would speak against the fact.',
              },
            },
            ['head', 'relation', 'tail', 'degree', 'teaches', 'conflicts'],
          ),
        },
      },
      ['results'],
    ),
  },
};
