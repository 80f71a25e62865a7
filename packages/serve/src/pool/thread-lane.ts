import { Worker } from 'node:worker_threads';
import { FuzzError, type IndexedGraph } from '@fuzzqe/core';
import type { Manifest } from '@fuzzqe/core/bundle';
import {
  createPortCaller,
  createRemoteRanker,
  type Lane,
  type NumberedReply,
  type PlanChoice,
} from '@fuzzqe/engine';

/** What a worker thread ranks with. The index of the facts may lie in memory that threads share. */
export interface WorkerBundle {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly profileName: string;
  readonly facts: IndexedGraph;
  readonly partitions: Float32Array;
  readonly plan: PlanChoice;
  readonly batchSize: number;
  /** Of this thread. */
  readonly cacheBytes: number;
}

/** Starts a worker thread that ranks; what goes wrong at its start is the answer to the first call. */
export function openThreadLane(script: URL, bundle: WorkerBundle): Lane {
  const worker = new Worker(script, { workerData: bundle });
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
  worker.on('message', (message: NumberedReply) => caller.receive(message));
  const remote = createRemoteRanker({ place: 'a worker thread', plan: bundle.plan, ask: caller.ask });
  const close = async (): Promise<void> => {
    isClosing = true;
    await remote.close().catch(() => undefined);
    // The thread ends by itself: to end it in a run would end the process.
    await gone;
  };
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
    close,
  };
  return { ranker, ended };
}

function endOf(code: number, failure: unknown): FuzzError {
  const why = failure instanceof Error ? failure.message : `it exited with code ${code}`;
  return new FuzzError('runtime', `a worker thread ended: ${why}`, { cause: failure });
}
