import { describeValue, FuzzError } from '@fuzzqe/core';
import { type Answer, checkBatchCost, readWithNames } from '@fuzzqe/engine';
import { orderedStream } from '../body/ordered-stream.ts';
import { announcedLength, checkMediaType, parseJsonBytes, tooLarge } from '../body/read-json.ts';
import { type Line, type LineLimits, readLines } from '../body/read-lines.ts';
import { type Problem, problemOf } from '../errors/problem.ts';
import type { ModelLease } from '../models/model-registry.ts';
import type { AnswerWriter } from '../part/api-part.ts';
import { chargeRequest, type QueryLimits, type QueryRequest, readUnchargedRequest } from './query-request.ts';
import { type TimeLimit, timeLimitOf } from './time-limit.ts';

/** A line of what `POST /v1/query/batch` answers: the answer to a line of the request, or what was wrong with it. */
export interface BatchLine {
  /** Which line of the request, from 1; absent where the rest of the request is not read or not answered. */
  readonly line?: number;
  /** The line's own `id`, where it had one. */
  readonly id?: string | number;
  readonly answer?: Answer;
  /** As the problem of a single query; after the first hundred, or where that would be too long, only `status` and `code`. */
  readonly problem?:
    | Pick<Problem, 'status' | 'code' | 'detail' | 'path' | 'hint'>
    | Pick<Problem, 'status' | 'code'>;
}

/** Whose a batch is. */
export interface BatchOrigin {
  /** Of its request. */
  readonly id: string;
  /** Whose turns its lines share where queries wait; undefined: turns of its own. */
  readonly caller: unknown;
}

/** What a batch is held to. */
export interface BatchLimits extends LineLimits, QueryLimits {
  /** Lines that are answered at once. */
  readonly atOnce: number;
  /** Milliseconds for one line. */
  readonly timeout: number;
  readonly writeAnswer: AnswerWriter;
  /** Milliseconds of one core, for all lines together. */
  readonly cost: number;
}

/** What hears of a batch while it is answered. */
export interface BatchListeners {
  /** Hears of what is the server's fault. */
  readonly onError: (error: unknown) => void;
  /** Hears what each line that is worked on may take, in milliseconds of one core. */
  readonly onCost: (cost: number) => void;
}

/** The media types of lines of JSON, the one that is answered first. */
export const lineTypes: readonly string[] = [
  'application/x-ndjson',
  'application/jsonl',
  'application/json-lines',
];

/** Problems that are told in full: the search for near names takes long. */
const fullProblems = 100;

const howTo = 'A line is a request of POST /v1/query, with an id if wanted.';

/**
 * Answers the body of `POST /v1/query/batch`: a request a line, as `POST /v1/query` takes it, with an `id` if wanted; suggestions are left out unless a line asks for them. Answers come in
 * the order of the lines, while later lines are still read; one that is wrong has a problem as its answer.
 *
 * @throws RequestError `media-type` or `too-large`, by what the headers say.
 */
export function answerBatch(
  model: ModelLease,
  request: Request,
  { id: requestId, caller }: BatchOrigin,
  limits: BatchLimits,
  { onError, onCost }: BatchListeners,
): ReadableStream<Uint8Array> {
  checkMediaType(request.headers, lineTypes);
  announcedLength(request.headers, limits.body);
  timeLimitOf(request, limits.timeout);
  const lease = model.retain();
  const left = new AbortController();
  let problems = 0;
  let spent = 0;
  const { vocabulary, facts, manifest } = lease.engine;
  const charge = (cost: number): void => {
    spent += cost;
    onCost(cost);
  };
  const readLine = (body: unknown, time: TimeLimit): Promise<QueryRequest> =>
    readWithNames(
      vocabulary,
      (names) => readUnchargedRequest({ vocabulary: names, facts, manifest }, body, limits),
      {
        ...time,
        costLimit: limits.costLimit,
        onCost(cost) {
          // Nobody would be told of near names.
          checkBatchCost(cost, spent, problems < fullProblems ? limits.cost : 0);
          charge(cost);
        },
      },
      (request) => chargeRequest(lease.engine, request, limits),
    );

  /** In full where it may be told so, and in short. */
  const problemLines = (error: unknown, at: Pick<BatchLine, 'line' | 'id'>): readonly [string, string] => {
    const { status, code, detail, path, hint } = problemOf(error, requestId);
    // Neither a connection that breaks off, which no line is read from, nor a passed deadline is the server's fault.
    if (status >= 500 && status !== 504 && at.line !== undefined) onError(error);
    const problem = { status, code };
    const short = textOf({ ...at, problem });
    const isFull = problems++ < fullProblems;
    return [isFull ? textOf({ ...at, problem: { ...problem, detail, path, hint } }) : short, short];
  };
  /**
   * Bytes that problems may have: 3 KiB, and 16 for each byte that was read, so that a batch of nonsense is not answered by many
   * times its size. A problem in short is within what its own line gives, unless that has fewer than four bytes. Below 0 nothing
   * more is answered.
   */
  let room = 3072;
  const tell = ({ number, bytes }: Line, full: string, short?: string): string => {
    if (room < 0) return '';
    room += 16 * ((bytes?.length ?? limits.line) + 1);
    if (short === undefined) return full;
    // The last KiB is for problems in short.
    const text = lengthOf(full) > room - 1024 ? short : full;
    room -= lengthOf(text);
    if (room >= 0) return text;
    const detail = `expected requests, got other lines; nothing from line ${number} on is answered`;
    return textOf({ problem: { status: 400, code: 'query', detail, hint: howTo } });
  };
  const answerLine = async ({ number, bytes }: Line): Promise<readonly [string, string?]> => {
    if (room < 0) return [''];
    let at: Pick<BatchLine, 'line' | 'id'> = { line: number };
    const since = performance.now();
    // Of its own: Node warns of a signal that dozens listen to.
    const signal = AbortSignal.any([left.signal]);
    try {
      if (bytes === undefined) throw tooLarge(limits.line, 'line');
      const time = {
        ...timeLimitOf(request, limits.timeout, undefined, since),
        signal,
        caller: caller ?? left,
      };
      const { body, ...id } = splitId(await parseJsonBytes(bytes, time, 'line', howTo));
      at = { ...at, ...id };
      const { query, options, cost, timeoutMs } = await readLine(body, time);
      checkBatchCost(cost, spent, limits.cost);
      charge(cost);
      const { deadline } = timeLimitOf(request, limits.timeout, timeoutMs, since);
      const wanted = { suggestions: false, ...options, signal, deadline, caller: caller ?? left };
      const answer = await whenThereIsRoom(deadline, (asksAgain) =>
        lease.engine.answer(query, { ...wanted, asksAgain }),
      );
      // The line has its number at least.
      const text = await limits.writeAnswer(answer, lease.engine.vocabulary, wanted);
      return [`${JSON.stringify(at).slice(0, -1)},"answer":${text}}\n`];
    } catch (error) {
      // Nobody reads what was given up.
      return left.signal.aborted ? [''] : problemLines(error, at);
    }
  };
  const abort = (): void => left.abort();
  request.signal.addEventListener('abort', abort);
  return orderedStream(readLines(request.body, limits), {
    atOnce: limits.atOnce,
    work: async (line) => {
      const told = await answerLine(line);
      return () => tell(line, ...told);
    },
    onReadError: (error) => problemLines(error, {})[0],
    onEnd() {
      request.signal.removeEventListener('abort', abort);
      left.abort();
      lease.release();
    },
  });
}

/** A line without its id, which is the sender's own. */
function splitId(value: unknown): { readonly id?: string | number; readonly body: unknown } {
  if (typeof value !== 'object' || value === null || !('id' in value)) return { body: value };
  const { id, ...body } = value;
  if (typeof id === 'string' || Number.isFinite(id)) return { id: id as string | number, body };
  throw new FuzzError('query', `expected a string or a number, got ${describeValue(id)}`, {
    path: '$.id',
    hint: howTo,
  });
}

/** Asks again while more is waiting than may wait: a batch has time, and takes what others leave. */
async function whenThereIsRoom<T>(deadline: number, ask: (asksAgain: boolean) => Promise<T>): Promise<T> {
  for (;;) {
    const asksAgain = performance.now() + pause < deadline;
    try {
      return await ask(asksAgain);
    } catch (error) {
      if (!asksAgain || !(error instanceof FuzzError) || error.code !== 'overloaded') throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Milliseconds. */
const pause = 100;

const lengthOf = (text: string): number => new TextEncoder().encode(text).length;

function textOf(line: BatchLine): string {
  return `${JSON.stringify(line)}\n`;
}
