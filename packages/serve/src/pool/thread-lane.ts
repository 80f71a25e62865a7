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

/** The first message to a thread that ranks: what to rank with. */
export interface OpenThread {
  readonly call: { readonly does: 'open'; readonly bundle: WorkerBundle };
}

/** A worker thread that loads what it needs to rank, and has no bundle yet. */
export interface RankerThread {
  /** Gives it a bundle, once; what goes wrong at its start is the answer to the first call. */
  open(bundle: WorkerBundle): Lane;
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
  const caller = createPortCaller((message) => worker.postMessage(message));
  let isClosing = false;
  let failure: unknown;
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
      if (!isClosing) resolve(reason);
    });
  });
  worker.on('message', (message: NumberedReply | ThreadNote) => {
    if ('note' in message) log(message.note);
    else caller.receive(message);
  });
  return {
    open(bundle) {
      const first: OpenThread = { call: { does: 'open', bundle } };
      worker.postMessage(first);
      const remote = createRemoteRanker({ place: 'a worker thread', plan: bundle.plan, ask: caller.ask });
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
        async close() {
          isClosing = true;
          await remote.close().catch(() => undefined);
          // The thread ends by itself: to end it in a run would end the process.
          await gone;
        },
      };
      return { ranker, ended };
    },
    async close() {
      isClosing = true;
      worker.postMessage({ call: { does: 'close' } });
      await gone;
    },
  };
}

function endOf(code: number, failure: unknown): FuzzError {
  const why = failure instanceof Error ? failure.message : `it exited with code ${code}`;
  return new FuzzError('runtime', `a worker thread ended: ${why}`, { cause: failure, passing: true });
}
