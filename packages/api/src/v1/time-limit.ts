import { FuzzError, schema } from '@fuzzqe/core';
import type { Context } from 'hono';
import type { HeaderReader } from '../body/read-json.ts';
import type { ApiEnv } from '../part/api-part.ts';

/** The header with which a client says how long it waits, in milliseconds. */
export const timeoutHeader = 'x-timeout-ms';

/** Until when an answer is wanted, and by whom. */
export interface TimeLimit {
  /** The same for all requests of one caller, who share turns where queries wait; undefined where nobody said who asks. */
  readonly caller?: unknown;
  /** Raised when the client has gone away. */
  readonly signal: AbortSignal;
  /** By `performance.now()`, in milliseconds. */
  readonly deadline: number;
}

/** How the header is read. */
export const timeoutForm: schema.Schema<number> = schema.integerText({ min: 1 });

/**
 * The time that a request may take: the least of what its header, its field and the server allow.
 *
 * @param field `timeoutMs` of the request, where it has one.
 * @param most what the server allows, in milliseconds; also what holds where the client says nothing.
 * @param since when that time began, by `performance.now()`.
 * @throws FuzzError `range`: a header that is no such number.
 */
export function timeLimitOf(
  request: { readonly headers: HeaderReader; readonly signal: AbortSignal; readonly caller?: unknown },
  most: number,
  field?: number,
  since: number = performance.now(),
): TimeLimit {
  const header = request.headers.get(timeoutHeader);
  const [issue] = header === null ? [] : schema.issuesOf(timeoutForm, header);
  if (issue !== undefined)
    throw new FuzzError('range', `${timeoutHeader}: ${issue.message}`, {
      path: timeoutHeader,
      hint: 'It is a number of milliseconds.',
    });
  const least = Math.min(most, field ?? most, header === null ? most : Number(header));
  return { caller: request.caller, signal: request.signal, deadline: since + least };
}

/** As `timeLimitOf`, of a request to the application, with the caller that middleware has found. */
export function limitsOf(context: Context<ApiEnv>, most: number, field?: number, since?: number): TimeLimit {
  const { headers, signal } = context.req.raw;
  return timeLimitOf({ headers, signal, caller: context.get('caller') }, most, field, since);
}
