import { Worker } from 'node:worker_threads';
import type { Manifest } from '@fuzzqe/bundle';
import { FuzzError, type IndexedGraph } from '@fuzzqe/core';
import {
  createPortCaller,
  createRemoteRanker,
  type DerivedGraph,
  type Lane,
  type NumberedReply,
  type PlanChoice,
  type RankedBundle,
  type RankerCall,
} from '@fuzzqe/engine';

/** What a worker thread ranks with. The index of the facts may lie in memory that threads share. */
export interface WorkerBundle {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly profileName: string;
  readonly facts: IndexedGraph;
  readonly entailed: IndexedGraph | undefined;
  readonly axioms: RankedBundle['axioms'];
  readonly evidence: RankedBundle['evidence'];
  readonly rankAll: DerivedGraph | undefined;
  readonly linksAmong: DerivedGraph | undefined;
  readonly plan: PlanChoice;
  readonly batchSize: number;
  /** Of this thread. */
  readonly cacheBytes: number;
  /** Files that were compared and, where they are graphs, checked. */
  readonly checked: readonly string[];
  /** Whether others are compared with the manifest before they are used. */
  readonly verify: boolean;
}

/** What a thread has to say in addition to its answers, in one line. */
export interface ThreadNote {
  readonly note: string;
}

/** What a thread is told: a call for one of its bundles, which `open` gives it, or that it ends once it has nothing left to do. */
export type ThreadCall =
  | { readonly does: 'end' }
  | ({ readonly bundle: number } & (RankerCall | { readonly does: 'open'; readonly given: WorkerBundle }));

/** A worker thread that ranks with any number of bundles, one call after the other. */
export interface RankerThread {
  /** How many bundles are open on it. */
  readonly bundles: number;
  /** Gives it one more bundle; an error at the bundle's start is the answer to the first call. The lane closes the bundle alone. */
  open(bundle: WorkerBundle): Lane;
  /** Resolves where it has ended by itself, with why. */
  readonly ended: Promise<FuzzError>;
  /** Ends it. */
  close(): Promise<void>;
}

/**
 * Megabytes of a thread's new objects, of which next to none live on: V8 would let each thread take 48, which saves no time that can be seen.
 */
const youngGeneration = 12;

/** Starts a worker thread that ranks; `log` hears what the thread has to say in addition to its answers. */
export function startRankerThread(script: URL, log: (line: string) => void = () => undefined): RankerThread {
  const worker = new Worker(script, { resourceLimits: { maxYoungGenerationSizeMb: youngGeneration } });
  const caller = createPortCaller<ThreadCall>((message) => worker.postMessage(message));
  let isClosing = false;
  let failure: unknown;
  let next = 0;
  /** Tell the lanes that are open: what waited for the thread itself would outlive its bundle. */
  const ends = new Set<(reason: FuzzError) => void>();
  const gone = new Promise<void>((resolve) => {
    worker.on('exit', () => resolve());
  });
  const ended = new Promise<FuzzError>((resolve) => {
    worker.on('error', (cause) => {
      failure = cause;
    });
    worker.on('exit', (code) => {
      const reason = endOf(code, failure);
      caller.end(reason);
      if (isClosing) return;
      resolve(reason);
      for (const end of ends) end(reason);
    });
  });
  worker.on('message', (message: NumberedReply | ThreadNote) => {
    if ('note' in message) log(message.note);
    else caller.receive(message);
  });
  return {
    get bundles() {
      return ends.size;
    },
    ended,
    open(given) {
      const bundle = next;
      next += 1;
      let end = (_: FuzzError): void => undefined;
      const laneEnded = new Promise<FuzzError>((resolve) => {
        end = resolve;
      });
      ends.add(end);
      // What goes wrong is the answer to the calls that follow.
      caller.ask({ bundle, does: 'open', given }).catch(() => undefined);
      const remote = createRemoteRanker({
        place: 'a worker thread',
        plan: given.plan,
        ask: (call) => caller.ask({ ...call, bundle }),
      });
      let closing: Promise<void> | undefined;
      const ranker = {
        ...remote,
        get runtime() {
          return remote.runtime;
        },
        get ready() {
          return remote.ready;
        },
        get cache() {
          return remote.cache!;
        },
        close() {
          closing ??= remote.close().then(
            () => undefined,
            () => undefined,
          );
          ends.delete(end);
          return closing;
        },
      };
      return { ranker, ended: laneEnded };
    },
    async close() {
      isClosing = true;
      // The thread ends by itself: to end it in a run would end the process.
      caller.ask({ does: 'end' }).catch(() => undefined);
      await gone;
    },
  };
}

function endOf(code: number, failure: unknown): FuzzError {
  const why = failure instanceof Error ? failure.message : `it exited with code ${code}`;
  return new FuzzError('runtime', `a worker thread ended: ${why}`, { cause: failure, passing: true });
}
