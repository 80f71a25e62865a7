import { schema } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import { type QueryLimits, type QueryReader, readQueryRequest } from './query-request.ts';
import { readRequest } from './read-request.ts';

/** What `POST /v1/query/relations` takes. */
export const nextRelationsBody: schema.Schema<{
  readonly query: unknown;
  readonly k?: number;
  readonly timeoutMs?: number;
}> = schema.object({
  query: schema.anything,
  k: schema.optional(schema.integer()),
  timeoutMs: schema.optional(schema.integer({ min: 1 })),
});

/** What is asked, by ids. */
export interface NextRelationsRequest {
  readonly query: Query;
  readonly k: number;
  readonly cost: number;
  readonly timeoutMs?: number;
}

/**
 * Reads a request: `{query, k?, timeoutMs?}`.
 *
 * @throws FuzzError `query`, `vocabulary` or `range`; `cost`: it would take too long.
 */
export function readNextRelations(
  engine: QueryReader,
  body: unknown,
  limits: QueryLimits,
): NextRelationsRequest {
  const given = readRequest(nextRelationsBody, body);
  const k = given.k ?? Math.min(100, limits.maxK, engine.facts.entityCount);
  const { costOf } = engine;
  const counting = {
    ...engine,
    costOf: (...[query, options]: Parameters<typeof costOf>) => costOf(query, { ...options, next: true }),
  };
  const { query, cost, timeoutMs } = readQueryRequest(counting, { ...given, k }, limits);
  return { query, k, cost, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}
