import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { FuzzError } from '@fuzzqe/core';
import { type CallLimits, throwIfOver, whenOver } from '@fuzzqe/engine';
import { addLast, takeNext } from './take-next.ts';

/** A thread, and the job that it does. */
export interface JobThread<Work> {
  readonly worker: Worker;
  /** Whether it is loaded, so that it hears. */
  isReady: boolean;
  job: Job<Work> | undefined;
  /** Ends the thread after so many milliseconds, unless something else happens before; its job gets the reason. */
  endIn(milliseconds: number, reason?: FuzzError): void;
}

/** A job that waits or is done. */
export interface Job<Work> {
  readonly work: Work;
  /** Whether somebody still wants it. */
  isOpen: boolean;
  /** The thread that does it. */
  thread?: JobThread<Work>;
  settle(outcome: unknown): void;
}

/** Threads that do one kind of job. */
export interface JobThreadsOptions<Work, Message> {
  /** How many threads there are at most. */
  readonly most: number;
  /** How long a thread lives without a job, in milliseconds; the next job starts another thread. */
  readonly idle: number;
  readonly resourceLimits: ResourceLimits;
  /** Tells a thread its job. */
  readonly begin: (thread: JobThread<Work>, work: Work) => void;
  /** Takes what a thread says while it has a job: the outcome of the job, an Error to refuse it; undefined while it goes on. */
  readonly receive: (message: Message, job: Job<Work>) => unknown;
  /** Hears that the job of a thread is not wanted any more. Default: the thread does the job to its end. */
  readonly giveUp?: (thread: JobThread<Work>) => void;
  /** The error for a thread that has ended, or that cannot start. */
  readonly faultOf: (cause: unknown, hasStarted: boolean) => FuzzError;
}

/**
 * Does jobs on threads of their own, which the first jobs start: one job a thread at a time, of each caller in turns.
 *
 * A job that was given up or is too late is not begun. A process that ends does not wait for the threads.
 *
 * @throws FuzzError what `receive` and `faultOf` give; `interrupted`, `deadline`: the limits.
 */
export function createJobThreads<Work, Message>(
  script: URL,
  { most, idle, resourceLimits, begin, receive, giveUp, faultOf }: JobThreadsOptions<Work, Message>,
): (work: Work, limits: CallLimits) => Promise<unknown> {
  const line = new Map<unknown, Job<Work>[]>();
  const threads = new Set<JobThread<Work>>();
  const ends = new Map<JobThread<Work>, ReturnType<typeof setTimeout>>();

  const drop = (thread: JobThread<Work>, reason?: FuzzError): void => {
    clearTimeout(ends.get(thread));
    ends.delete(thread);
    if (!threads.delete(thread)) return;
    const { job } = thread;
    thread.job = undefined;
    void thread.worker.terminate();
    if (reason !== undefined) job?.settle(reason);
    beginNext();
  };
  const start = (): JobThread<Work> => {
    const worker = new Worker(script, { resourceLimits });
    const thread: JobThread<Work> = {
      ...{ worker, isReady: false, job: undefined },
      endIn(milliseconds, reason) {
        clearTimeout(ends.get(thread));
        ends.set(thread, setTimeout(() => drop(thread, reason), milliseconds).unref());
      },
    };
    threads.add(thread);
    worker.on('error', (cause) => drop(thread, faultOf(cause, true)));
    worker.on('messageerror', (cause) => drop(thread, faultOf(cause, true)));
    worker.on('exit', () => drop(thread, faultOf(undefined, true)));
    worker.on('message', (message: Message) => {
      const { job } = thread;
      thread.isReady = true;
      const outcome = job && receive(message, job);
      if (job === undefined || outcome === undefined) return;
      thread.job = undefined;
      job.settle(outcome);
      thread.endIn(idle);
      beginNext();
    });
    return thread;
  };
  const beginNext = (): void => {
    for (;;) {
      const free = [...threads].find(({ job }) => job === undefined);
      if (free === undefined && threads.size >= most) return;
      const job = takeNext(line);
      if (job === undefined) return;
      let thread = free;
      try {
        thread ??= start();
        clearTimeout(ends.get(thread));
        thread.job = job;
        job.thread = thread;
        begin(thread, job.work);
        // A listener for messages and a first message have it waited for again.
        thread.worker.unref();
      } catch (cause) {
        if (thread !== undefined) thread.job = undefined;
        job.settle(faultOf(cause, thread !== undefined));
      }
    }
  };
  return async (work, limits) => {
    throwIfOver(limits);
    const { caller = Symbol('a job by itself') } = limits;
    return new Promise((resolve, reject) => {
      const job: Job<Work> = {
        ...{ work, isOpen: true },
        settle(outcome) {
          if (!job.isOpen) return;
          job.isOpen = false;
          stopWaiting();
          if (job.thread?.job === job) giveUp?.(job.thread);
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        },
      };
      const stopWaiting = whenOver(limits, job.settle);
      addLast(line, caller, job);
      beginNext();
    });
  };
}
