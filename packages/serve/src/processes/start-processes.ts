import { FuzzError } from '@fuzzqe/core';
import type { Log } from '../operations/log.ts';
import { type MetricCounts, sumOfCounts, whatOutlives } from '../operations/metrics.ts';
import { type FromProcess, isProcessMessage, type ToProcess } from './process-messages.ts';

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A process that serves, to the one that started it. */
export interface ServingProcess {
  readonly pid: number | undefined;
  /** A message to one that has ended is lost. */
  send(message: ToProcess): void;
  onMessage(hear: (message: unknown) => void): void;
  onEnd(hear: (end: ProcessEnd) => void): void;
  kill(): void;
}

/** Which processes are kept. */
export interface ProcessesOptions {
  readonly count: number;
  /** Starts one; the first says where all of them serve. */
  readonly start: (isFirst: boolean) => ServingProcess;
  readonly log: Log;
}

/** Several processes that serve on one port. */
export interface Processes {
  /** Resolves when all serve; rejects with `ProcessEnded` where one ends before it does, which ends all. */
  readonly opened: Promise<void>;
  /** Has each do what `Service.reload` does. */
  reload(): Promise<void>;
  /** Has each let its requests finish, and waits for their end. */
  close(): Promise<void>;
  /** Ends all at once. */
  kill(): void;
}

/** A process has ended before it served, and has said why. */
export class ProcessEnded extends FuzzError {
  readonly end: ProcessEnd;
  constructor(end: ProcessEnd) {
    super('runtime', `a process of the server ended ${describeEnd(end)} before it served`, {
      hint: 'What it said of it stands above.',
    });
    this.end = end;
  }
}

interface Running {
  readonly process: ServingProcess;
  /** When it has ended. */
  readonly ended: Promise<ProcessEnd>;
  /** What it had counted when it last told. */
  counts: MetricCounts;
  /** Whoever waits for its counts, by number. */
  readonly asked: Map<number, () => void>;
}

/**
 * Starts processes that serve on one port, one first, which says what is wrong with bundles or settings, and keeps them.
 *
 * One that ends by itself after all have served is replaced: after 0.1 s, and after twice as long with every attempt in vain, 10 s at
 * most. What those that ended had counted stays in the counts.
 */
export function startProcesses({ count, start, log }: ProcessesOptions): Processes {
  const running = new Set<Running>();
  const pauses = new Set<() => void>();
  let closing: Promise<void> | undefined;
  let ofEnded: Promise<MetricCounts> = Promise.resolve([]);
  let next = 0;

  const tellCounts = async (to: ServingProcess, id: number): Promise<void> => {
    const all = await Promise.all([...running].map(countsOf));
    to.send({ fuzzqe: 'counted', id, all: [...all, await ofEnded] });
  };
  const countsOf = (one: Running): Promise<MetricCounts> => {
    next += 1;
    const id = next;
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        one.asked.delete(id);
        // Of one that is held up, what it told before: counts go back for nobody.
        resolve(one.counts);
      };
      const timer = setTimeout(end, longestCount);
      one.asked.set(id, end);
      one.process.send({ fuzzqe: 'count', id });
    });
  };
  /** Resolves when it serves. Throws: `ProcessEnded`. */
  const begin = (isFirst: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const process = start(isFirst);
      let end = (_end: ProcessEnd): void => {};
      const ended = new Promise<ProcessEnd>((settle) => {
        end = settle;
      });
      const one: Running = { process, ended, counts: [], asked: new Map() };
      running.add(one);
      let served = false;
      process.onMessage((message) => {
        if (!isProcessMessage(message)) return;
        const told = message as FromProcess; // no other comes this way
        switch (told.fuzzqe) {
          case 'opened':
            served = true;
            resolve();
            return;
          case 'counts':
            one.counts = told.counts;
            one.asked.get(told.id)?.();
            return;
          case 'gather':
            void tellCounts(process, told.id);
            return;
        }
      });
      process.onEnd((how) => {
        running.delete(one);
        for (const stopWaiting of [...one.asked.values()]) stopWaiting();
        ofEnded = ofEnded.then((before) => sumOfCounts([before, whatOutlives(one.counts)]));
        end(how);
        reject(new ProcessEnded(how));
        if (!served || closing !== undefined) return;
        log.error({ process: process.pid, ...how }, 'a process of the server has ended, and is replaced');
        void replace(firstPause);
      });
      // It was asked for before everything was to end.
      if (closing !== undefined) process.send({ fuzzqe: 'stop' });
    });
  const replace = async (pause: number): Promise<void> => {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        pauses.delete(end);
        resolve();
      };
      const timer = setTimeout(end, pause);
      pauses.add(end);
    });
    if (closing !== undefined) return;
    try {
      await begin(false);
      log.info({}, 'another process serves in its place');
    } catch (error) {
      if (closing !== undefined) return;
      log.error({ error }, 'no process could take the place of the one that ended');
      void replace(Math.min(2 * pause, longestPause));
    }
  };
  const close = (): Promise<void> => {
    closing ??= (async () => {
      for (const end of pauses) end();
      for (const { process } of running) process.send({ fuzzqe: 'stop' });
      while (running.size > 0) await Promise.all([...running].map(({ ended }) => ended));
    })();
    return closing;
  };
  const openAll = async (): Promise<void> => {
    try {
      await begin(true);
      if (closing === undefined) await Promise.all(Array.from({ length: count - 1 }, () => begin(false)));
    } catch (cause) {
      await close();
      throw cause;
    }
  };
  const opened = openAll();
  // Whoever closes before need not hear of it.
  opened.catch(() => undefined);
  return {
    opened,
    async reload() {
      for (const { process } of running) process.send({ fuzzqe: 'reload' });
    },
    close,
    kill() {
      closing ??= Promise.resolve();
      for (const { process } of running) process.kill();
    },
  };
}

/** Milliseconds that the counts of one are waited for. */
const longestCount = 2000;
/** Milliseconds before one that has ended is replaced, doubled with every attempt in vain. */
const firstPause = 100;
const longestPause = 10_000;

function describeEnd({ code, signal }: ProcessEnd): string {
  return signal === null ? `with exit code ${code}` : `by ${signal}`;
}
