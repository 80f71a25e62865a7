import { FuzzError, isPassing, receivedError, type SentError } from '@fuzzqe/core';
import type { Evaluate, SparqlResult, Triple, TriplePattern, TripleSource } from '@fuzzqe/sparql/evaluate';
import { createJobThreads, type Job, type JobThread } from './job-threads.ts';

type QuerySyntax = Parameters<Evaluate>[0];

/** What a thread is told: a query, that it is given up, or the triples that it asked for. */
export type EvaluatorAsked =
  | { readonly query: QuerySyntax; readonly most: number }
  | { readonly stops: true }
  | GivenTriples;

/** The next triples of a pattern, none after the last, or how many there are. */
export interface GivenTriples {
  readonly id: number;
  readonly triples?: readonly Triple[];
  readonly count?: number;
}

/** The next triples of a pattern that a thread wants, or how many there are. */
export interface AskedTriples {
  /** Of the reading of the pattern. */
  readonly id: number;
  readonly pattern: TriplePattern;
  readonly counts?: boolean;
}

/** What a thread says: that it is loaded, triples that it wants, or what the query came to. */
export type EvaluatorReply =
  | { readonly isReady: true }
  | AskedTriples
  | { readonly result: SparqlResult }
  | { readonly error: SentError };

/** How many threads there are, and how long they live, in milliseconds. */
export interface EvaluatorThreadsOptions {
  /** Default 2. */
  readonly threads?: number;
  /** Without a query; the next query starts another thread. Default 15 minutes. */
  readonly idle?: number;
  /** How long a thread may take to give a query up before it is ended. Default 100. */
  readonly grace?: number;
}

/** A query that waits or is evaluated. */
interface Evaluation {
  readonly query: QuerySyntax;
  readonly most: number;
  readonly source: TripleSource;
  readonly readings: Map<number, AsyncIterator<readonly Triple[]>>;
}

/** How long a thread may take to load, in milliseconds. */
const loading = 10_000;

/** What a query collects is rows of short terms. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 24 };

/**
 * Evaluates queries on threads of their own, which ask the caller's thread for triples: an expression may take any time and memory.
 *
 * A thread has one query at a time, of each caller in turns. A thread that gives up no query in time is ended.
 *
 * @throws FuzzError as `evaluate`; `runtime`: a thread cannot start, or ended; `range`: the query takes too much memory.
 */
export function createEvaluatorThreads(
  script: URL,
  { threads: most = 2, idle = 900_000, grace = 100 }: EvaluatorThreadsOptions = {},
): Evaluate {
  const tell = (thread: JobThread<Evaluation>, message: EvaluatorAsked): void =>
    thread.worker.postMessage(message);
  const give = async (job: Job<Evaluation>, { id, pattern, counts }: AskedTriples): Promise<void> => {
    const { thread } = job;
    const { source, readings } = job.work;
    const answer = (given: GivenTriples): void => {
      if (thread?.job === job) tell(thread, given);
    };
    // No caller waits for a query that was given up.
    if (!job.isOpen) return;
    try {
      if (counts === true) return answer({ id, count: await source.count(pattern) });
      const reading = readings.get(id) ?? source.match(pattern)[Symbol.asyncIterator]();
      readings.set(id, reading);
      const { done, value } = await reading.next();
      if (done === true) readings.delete(id);
      answer(done === true ? { id } : { id, triples: value });
    } catch (error) {
      job.settle(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const run = createJobThreads<Evaluation, EvaluatorReply>(script, {
    ...{ most, idle, resourceLimits, faultOf },
    begin: (thread, { query, most: rows }) => tell(thread, { query, most: rows }),
    receive(reply, job) {
      if ('isReady' in reply) return undefined;
      if ('id' in reply) return void give(job, reply);
      return 'result' in reply ? reply.result : receivedError(reply.error);
    },
    // A query that was given up ends, or its thread does.
    giveUp(thread) {
      tell(thread, { stops: true });
      thread.endIn(thread.isReady ? grace : loading);
    },
  });
  return async (query, source, { most: rows, limits }) =>
    // The thread evaluates the query that it was sent.
    (await run({ query, source, most: rows, readings: new Map() }, limits)) as SparqlResult;
}

function faultOf(cause: unknown): FuzzError {
  if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new FuzzError(
      'range',
      'query: expected one that fits in the memory of a thread, got a larger one',
      {
        hint: 'Ask for less, or in parts.',
      },
    );
  return new FuzzError('runtime', 'the thread that evaluates SPARQL ended', {
    cause,
    passing: cause === undefined || isPassing(cause),
  });
}
