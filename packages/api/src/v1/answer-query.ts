import { readWithNames } from '@fuzzqe/engine';
import { checkMediaType, type HeaderReader, parseJsonBytes } from '../body/read-json.ts';
import type { ApiContext, RequestSubject } from '../part/api-part.ts';
import { chargeRequest, readUnchargedRequest } from './query-request.ts';
import { type TimeLimit, timeLimitOf } from './time-limit.ts';

/** A request for `POST /v1/query` as any server has it, with nothing of it in the web's objects. */
export interface QueryExchange {
  /** Default: the first. */
  readonly model?: string | undefined;
  readonly headers: HeaderReader;
  /** Anything that is the same for all requests of one caller, who share turns where queries wait. */
  readonly caller?: unknown;
  /** Reads the body, which the caller holds to its limit. */
  readonly body: () => Promise<Uint8Array>;
  /** Raised when the client has gone away. */
  readonly signal: AbortSignal;
  /** Hears what the request is about, as soon as it is known. */
  readonly note: (subject: RequestSubject) => void;
}

/**
 * Answers `POST /v1/query` with the text of its JSON.
 *
 * @throws RequestError and FuzzError, which `problemOf` turns into what the client is told.
 */
export async function answerQuery(
  { models, maxK, costLimit, timeout, writeAnswer }: ApiContext,
  { model, headers, caller, body, signal, note }: QueryExchange,
): Promise<string> {
  checkMediaType(headers, ['application/json']);
  const free = await models.acquire(model);
  const refusal = free.engine.ranker.refusalOf?.(caller);
  note({ model: free.name, version: free.version });
  free.release();
  // Before anything is read: anyone who has too much to do says so cheaply.
  if (refusal !== undefined) throw refusal;
  const bytes = await body();
  const since = performance.now();
  const limits = (field?: number): TimeLimit =>
    timeLimitOf({ headers, signal, caller }, timeout, field, since);
  const reading = limits();
  const asked = await parseJsonBytes(bytes, reading);
  const lease = await models.acquire(model);
  const { name, version, engine } = lease;
  try {
    const { facts, manifest } = engine;
    const { query, options, cost, timeoutMs } = await readWithNames(
      engine.vocabulary,
      (vocabulary) => readUnchargedRequest({ vocabulary, facts, manifest }, asked, { maxK }),
      { ...reading, costLimit, onCost: (cost) => note({ model: name, version, cost }) },
      (request) => chargeRequest(engine, request, { costLimit }),
    );
    const subject = { model: name, version, cost };
    note(subject);
    const until = timeoutMs === undefined ? reading : limits(timeoutMs);
    const answer = await engine.answer(query, { ...options, ...until });
    note({ ...subject, mode: answer.mode, structure: answer.plan.structure ?? 'other' });
    return await writeAnswer(answer, engine.vocabulary, until);
  } finally {
    lease.release();
  }
}
