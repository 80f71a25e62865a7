import { modesOf } from '@fuzzqe/bundle';
import { checkId, FuzzError, schema } from '@fuzzqe/core';
import { type BetaETuple, type Query, queryFromBetaE, readQuery } from '@fuzzqe/core/query';
import {
  type AnswerMode,
  type AnswerOptions,
  answerModes,
  checkCost,
  type Engine,
  type Exclusion,
} from '@fuzzqe/engine';
import { readRequest } from './read-request.ts';

const exclusions: readonly Exclusion[] = ['known', 'none'];

/** What `POST /v1/query` takes, and a line of `POST /v1/query/batch` apart from its `id`. */
export interface QueryBody {
  /** Text, JSON or tuples. */
  readonly query: unknown;
  readonly k?: number;
  readonly mode: AnswerMode;
  readonly exclude: Exclusion;
  readonly minDegree?: number;
  readonly suggestions?: boolean;
  readonly explain?: boolean;
  /** A date. */
  readonly at?: string;
  /** Which entities may be answers: those of these ids, or the answers to a query. */
  readonly filter?: { readonly ids?: unknown; readonly query?: unknown; readonly minDegree?: number };
  readonly timeoutMs?: number;
}

/** How it is read. */
export const queryBody: schema.Schema<QueryBody> = schema.object({
  query: schema.anything,
  k: schema.optional(schema.integer()),
  mode: schema.withDefault(schema.oneOf(answerModes), 'sets'),
  exclude: schema.withDefault(schema.oneOf(exclusions), 'none'),
  minDegree: schema.optional(schema.number()),
  suggestions: schema.optional(schema.boolean),
  explain: schema.optional(schema.boolean),
  at: schema.optional(schema.string),
  filter: schema.optional(
    schema.object({
      ids: schema.optional(schema.anything),
      query: schema.optional(schema.anything),
      minDegree: schema.optional(schema.number()),
    }),
  ),
  timeoutMs: schema.optional(schema.integer({ min: 1 })),
});

/** The most operands that all answers together say something of: a conjunction may have a thousand. */
const mostOperands = 2 ** 16;

/** What is asked, by ids. */
export interface QueryRequest {
  readonly query: Query;
  readonly options: AnswerOptions;
  /** Milliseconds of one core that it may take. */
  readonly cost: number;
  /** How long the client waits, in milliseconds. */
  readonly timeoutMs?: number;
}

/** What the server allows of a request. */
export interface QueryLimits {
  /** The most answers. */
  readonly maxK: number;
  /** The most milliseconds of one core. */
  readonly costLimit: number;
}

/** A request before what it costs is known. */
export type ReadRequest = Omit<QueryRequest, 'cost'>;

/** What of an engine requests are read with. */
export type QueryReader = Pick<Engine, 'vocabulary' | 'facts' | 'costOf' | 'manifest'>;

/**
 * Reads a request and estimates what it costs: `readUnchargedRequest`, then `chargeRequest`.
 *
 * @throws FuzzError `query`, `vocabulary` or `range`; `cost`: it would take too long.
 */
export function readQueryRequest(engine: QueryReader, body: unknown, limits: QueryLimits): QueryRequest {
  return chargeRequest(engine, readUnchargedRequest(engine, body, limits), limits);
}

/**
 * Estimates what a request costs.
 *
 * @throws FuzzError `cost`: it would take too long.
 */
export function chargeRequest(
  { costOf }: Pick<QueryReader, 'costOf'>,
  request: ReadRequest,
  { costLimit }: Pick<QueryLimits, 'costLimit'>,
): QueryRequest {
  const cost = costOf(request.query, request.options);
  checkCost(request.query, cost, costLimit);
  return { ...request, cost };
}

/**
 * Reads a request: `{query, k?, mode?, exclude?, minDegree?, suggestions?, explain?, at?, filter?, timeoutMs?}`, queries as text, as JSON or
 * in KGReasoning's tuples. A bundle without facts answers in mode `embedding` whatever the mode, and its answers say so.
 *
 * @throws FuzzError `query`, `vocabulary` or `range`; `cost`: its answers would say too much.
 */
export function readUnchargedRequest(
  engine: Omit<QueryReader, 'costOf'>,
  body: unknown,
  { maxK }: Pick<QueryLimits, 'maxK'>,
): ReadRequest {
  const given = readRequest(queryBody, body);
  const { query: written, k, filter, timeoutMs, ...others } = given;
  if (k !== undefined && k > maxK && maxK < engine.facts.entityCount) {
    throw new FuzzError('range', `k: expected an integer in [1, ${maxK}], got ${k}`, {
      path: '$.k',
      hint: 'Ask for fewer answers.',
    });
  }
  const query = readAnyQuery(engine, written, '$.query');
  // The engine refuses what the mode does not have, and what is no filter.
  const options = {
    ...others,
    ...(modesOf(engine.manifest).includes(others.mode) ? {} : { mode: 'embedding' }),
    ...(k === undefined ? {} : { k }),
    ...(filter === undefined ? {} : { filter: readFilter(engine, filter) }),
  } as AnswerOptions;
  const said = query.op === 'and' && options.mode === 'sets' ? (k ?? 10) * query.operands.length : 0;
  if (said > mostOperands)
    throw new FuzzError('cost', `k: expected at most ${mostOperands} operands of all answers, got ${said}`, {
      path: '$.k',
      hint: 'Ask for fewer answers.',
    });
  return { query, options, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

function readFilter(engine: Omit<QueryReader, 'costOf'>, filter: NonNullable<QueryBody['filter']>): object {
  const { query, ...others } = filter;
  return query === undefined ? others : { ...others, query: readAnyQuery(engine, query, '$.filter.query') };
}

/** A query as text or JSON, or in tuples where it is an array. */
function readAnyQuery(
  { vocabulary, facts }: Pick<QueryReader, 'vocabulary' | 'facts'>,
  value: unknown,
  path: string,
): Query {
  if (!Array.isArray(value)) return readQuery(value, vocabulary, path);
  const query = queryFromBetaE(value, path);
  // It was read as such.
  checkIds(value as BetaETuple, facts, path);
  return query;
}

/** Refuses an id that the graph does not have, by where it stands in tuples; they are well formed. */
function checkIds(
  tuple: BetaETuple,
  facts: QueryReader['facts'],
  path: string,
  kind: 'entity' | 'relation' = 'entity',
): void {
  if (typeof tuple !== 'number')
    tuple.forEach((item, i) => {
      const areRelations = i === tuple.length - 1 && Array.isArray(item) && item.every(Number.isInteger);
      checkIds(item, facts, `${path}[${i}]`, areRelations ? 'relation' : kind);
    });
  // What is below 0 says how tuples are joined.
  else if (tuple >= 0) checkId(kind, tuple, facts[`${kind}Count`], path);
}
