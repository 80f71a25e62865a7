import { Worker } from 'node:worker_threads';
import { FuzzError, isPassing, receivedError, type SentError } from '@fuzzqe/core';
import { throwIfOver, whenOver } from '@fuzzqe/engine';
import type { Evaluate, SparqlResult, Triple, TriplePattern, TripleSource } from '@fuzzqe/sparql/evaluate';
import { addLast, takeNext, type Waiting } from './take-next.ts';

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
interface Job extends Waiting {
  readonly query: QuerySyntax;
  readonly most: number;
  readonly source: TripleSource;
  readonly readings: Map<number, AsyncIterator<readonly Triple[]>>;
  /** The thread that evaluates it. */
  thread?: Thread;
  settle(outcome: SparqlResult | Error): void;
}

interface Thread {
  readonly worker: Worker;
  /** Whether it is loaded, so that it hears. */
  isReady: boolean;
  job: Job | undefined;
  /** Until it is ended: for want of a query, or because of one. */
  end: ReturnType<typeof setTimeout> | undefined;
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
  const line = new Map<unknown, Job[]>();
  const threads = new Set<Thread>();

  const drop = (thread: Thread, reason?: FuzzError): void => {
    clearTimeout(thread.end);
    if (!threads.delete(thread)) return;
    const { job } = thread;
    thread.job = undefined;
    void thread.worker.terminate();
    if (reason !== undefined) job?.settle(reason);
    begin();
  };
  const rest = (thread: Thread): void => {
    clearTimeout(thread.end);
    thread.end = setTimeout(() => drop(thread), idle).unref();
    begin();
  };
  const start = (): Thread => {
    const worker = new Worker(script, { resourceLimits });
    const thread: Thread = { worker, isReady: false, job: undefined, end: undefined };
    threads.add(thread);
    worker.on('error', (cause: Error & { readonly code?: string }) => drop(thread, faultOf(cause)));
    worker.on('messageerror', (cause) => drop(thread, faultOf(cause)));
    worker.on('exit', () => drop(thread, faultOf(undefined)));
    worker.on('message', (reply: EvaluatorReply) => {
      const { job } = thread;
      thread.isReady = true;
      if (job === undefined || 'isReady' in reply) return;
      if ('id' in reply) void give(thread, job, reply);
      else {
        thread.job = undefined;
        job.settle('result' in reply ? reply.result : receivedError(reply.error));
        rest(thread);
      }
    });
    // A server that ends does not wait for it.
    worker.unref();
    return thread;
  };
  const tell = ({ worker }: Thread, message: EvaluatorAsked): void => worker.postMessage(message);
  const give = async (thread: Thread, job: Job, { id, pattern, counts }: AskedTriples): Promise<void> => {
    // No caller waits for a query that was given up.
    if (!job.isOpen) return;
    try {
      if (counts === true) {
        const count = await job.source.count(pattern);
        if (thread.job === job) tell(thread, { id, count });
        return;
      }
      const reading = job.readings.get(id) ?? job.source.match(pattern)[Symbol.asyncIterator]();
      job.readings.set(id, reading);
      const { done, value } = await reading.next();
      if (done === true) job.readings.delete(id);
      if (thread.job === job) tell(thread, done === true ? { id } : { id, triples: value });
    } catch (error) {
      job.settle(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const begin = (): void => {
    for (;;) {
      const free = [...threads].find(({ job }) => job === undefined);
      if (free === undefined && threads.size >= most) return;
      const job = takeNext(line);
      if (job === undefined) return;
      try {
        const thread = free ?? start();
        clearTimeout(thread.end);
        thread.job = job;
        job.thread = thread;
        tell(thread, { query: job.query, most: job.most });
        thread.worker.unref();
      } catch (cause) {
        job.settle(faultOf(cause));
      }
    }
  };
  /** A query that was given up ends, or its thread does. */
  const stop = (thread: Thread): void => {
    tell(thread, { stops: true });
    thread.end = setTimeout(() => drop(thread), thread.isReady ? grace : loading).unref();
  };

  return async (query, source, { most: rows, limits }) => {
    throwIfOver(limits);
    const { caller = Symbol('a query by itself') } = limits;
    return new Promise((resolve, reject) => {
      const job: Job = {
        ...{ query, source, most: rows, readings: new Map(), isOpen: true },
        settle(outcome) {
          if (!job.isOpen) return;
          job.isOpen = false;
          stopWaiting();
          if (job.thread?.job === job) stop(job.thread);
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        },
      };
      const stopWaiting = whenOver(limits, job.settle);
      addLast(line, caller, job);
      begin();
    });
  };
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
