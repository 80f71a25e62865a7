import { FuzzError, schema } from '@fuzzqe/core';
import { checkQuery, type Query, queryFromBetaE, readQuery } from '@fuzzqe/core/query';
import { type AnswerMode, type AnswerOptions, answerModes, type Exclusion } from '../../answer.ts';
import type { Engine } from '../../engine.ts';

const exclusions: readonly Exclusion[] = ['known', 'none'];

/** What `POST /v1/query` takes, and a line of `POST /v1/query/batch` beside its `id`. */
export interface QueryBody {
  /** Text, JSON or tuples. */
  readonly query: unknown;
  readonly k?: number;
  readonly mode: AnswerMode;
  readonly exclude: Exclusion;
  readonly minDegree?: number;
  readonly probability?: boolean;
  readonly timeoutMs?: number;
}

/** How it is read. */
export const queryBody: schema.Schema<QueryBody> = schema.object({
  query: schema.anything,
  k: schema.optional(schema.integer()),
  mode: schema.withDefault(schema.oneOf(answerModes), 'sets'),
  exclude: schema.withDefault(schema.oneOf(exclusions), 'none'),
  minDegree: schema.optional(schema.number()),
  probability: schema.optional(schema.boolean),
  timeoutMs: schema.optional(schema.integer({ min: 1 })),
});

/** What is asked, by ids. */
export interface QueryRequest {
  readonly query: Query;
  readonly options: AnswerOptions;
  /** How long the client waits, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * Reads a request: `{query, k?, mode?, exclude?, minDegree?, probability?, timeoutMs?}`, the query as text, as JSON or in
 * KGReasoning's tuples.
 *
 * @throws FuzzError `query`, `vocabulary` or `range`.
 */
export function readQueryRequest(engine: Engine, body: unknown, maxK: number): QueryRequest {
  const given = schema.parse(queryBody, body, { code: 'query', what: 'request', path: '$' });
  const { query, k, timeoutMs, ...others } = given;
  if (k !== undefined && k > maxK && maxK < engine.facts.entityCount) {
    throw new FuzzError('range', `k: expected an integer in [1, ${maxK}], got ${k}`, {
      path: '$.k',
      hint: `This server gives at most ${maxK} answers.`,
    });
  }
  return {
    query: readAnyQuery(engine, query),
    // The engine refuses what the mode does not have.
    options: { ...others, ...(k === undefined ? {} : { k }) } as AnswerOptions,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** A query as text or JSON, or in tuples where it is an array. */
function readAnyQuery({ vocabulary, facts }: Engine, value: unknown): Query {
  if (!Array.isArray(value)) return readQuery(value, vocabulary, '$.query');
  const query = queryFromBetaE(value, '$.query');
  checkQuery(query, facts);
  return query;
}
