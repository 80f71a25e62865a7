import type { IncomingMessage } from 'node:http';
import type { RequestSubject } from '@fuzzqe/api';
import type { RefusalReason } from '../telemetry/metrics.ts';
import type { RequestSpan } from '../telemetry/tracing.ts';
import { requestIdOf } from './plain-response.ts';

/** What a request turned out to be, for its line of the log, its metrics and its span. */
export interface RequestRecord {
  readonly began: number;
  readonly span: RequestSpan | undefined;
  requestId: string;
  route: string | undefined;
  /** Whose key it came with. */
  client: string | undefined;
  /** What the request was answered apart from its response, which node:http gave up. */
  status: number | undefined;
  subject: RequestSubject | undefined;
  error: unknown;
  refused: RefusalReason | undefined;
  /** Tells its client to send the body, where that waits to be told. */
  askForBody: (() => void) | undefined;
}

/** Where a request has its record: a WeakMap would hold records of what is answered (see `createSlots` of @fuzzqe/engine). */
const recordKey: unique symbol = Symbol('record');

/** Gives a request the record that all who note something of it share. */
export function beginRecord(request: IncomingMessage, span: RequestSpan | undefined): RequestRecord {
  const record: RequestRecord = {
    began: performance.now(),
    span,
    requestId: requestIdOf(request),
    route: undefined,
    client: undefined,
    status: undefined,
    subject: undefined,
    error: undefined,
    refused: undefined,
    askForBody: undefined,
  };
  Object.assign(request, { [recordKey]: record });
  return record;
}

/** The record of a request that has come through the front admission. */
export function recordOf(
  request: IncomingMessage & { readonly [recordKey]?: RequestRecord },
): RequestRecord | undefined {
  return request[recordKey];
}
