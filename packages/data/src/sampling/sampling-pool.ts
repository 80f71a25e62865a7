import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import { createBlockDraw, type DrawnBlock, type DrawTask } from './draw-block.ts';

/** Makes blocks of draws on some graphs, in this thread or in others. */
export interface SamplingPool {
  /** The graphs that tasks name by their number. */
  readonly graphs: readonly KnowledgeGraph[];
  /** How many blocks are worth asking for at once. */
  readonly atOnce: number;
  draw(task: DrawTask): Promise<DrawnBlock>;
  /** Ends the threads; blocks still asked for are refused. */
  close(): Promise<void>;
}

/** How to make a pool. */
export interface SamplingPoolOptions {
  readonly graphs: readonly KnowledgeGraph[];
  /** Threads beside this one; 0 draws in this one. What is drawn does not depend on it. */
  readonly workers: number;
  /** The script that the threads run; that of this package by default. */
  readonly entry?: URL;
}

/** What a thread is started with. Triples are shared, so that threads do not copy them. */
export interface WorkerGraphs {
  readonly graphs: readonly {
    readonly entityCount: number;
    readonly relationCount: number;
    readonly triples: Int32Array;
  }[];
}

/** What a thread answers with. */
export interface WorkerReply {
  readonly id: number;
  readonly block: DrawnBlock;
}

/**
 * Starts a pool.
 *
 * Every thread has its own index of the graphs that its tasks name. Run from TypeScript sources, where no compiled
 * script lies beside this file, a pool draws in this thread.
 */
export function createSamplingPool({ graphs, workers, entry }: SamplingPoolOptions): SamplingPool {
  const script = entry ?? defaultEntry();
  return workers === 0 || script === undefined ? poolHere(graphs) : poolOfThreads(graphs, workers, script);
}

function defaultEntry(): URL | undefined {
  // Node 20 runs no TypeScript, so only compiled code has a script for threads.
  const entry = new URL('./draw-worker.js', import.meta.url);
  return existsSync(fileURLToPath(entry)) ? entry : undefined;
}

function poolHere(graphs: readonly KnowledgeGraph[]): SamplingPool {
  const draw = createBlockDraw((index) => graphs[index]!);
  return {
    graphs,
    atOnce: 1,
    async draw(task) {
      // Signals and whoever shows the progress only get their turn when this thread waits.
      await setImmediate();
      return draw(task);
    },
    close: async () => {},
  };
}

function poolOfThreads(graphs: readonly KnowledgeGraph[], count: number, entry: URL): SamplingPool {
  const workerData: WorkerGraphs = {
    graphs: graphs.map((graph) => ({
      entityCount: graph.entityCount,
      relationCount: graph.relationCount,
      triples: shared(graph.forwardTriples()),
    })),
  };
  const waiting = new Map<number, { resolve(block: DrawnBlock): void; reject(reason: unknown): void }>();
  let failure: unknown;
  let next = 0;
  const fail = (reason: unknown): void => {
    failure ??= reason;
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  };
  const workers = Array.from({ length: count }, () => {
    const worker = new Worker(entry, { workerData });
    worker.on('message', ({ id, block }: WorkerReply) => {
      waiting.get(id)?.resolve(block);
      waiting.delete(id);
    });
    worker.on('error', (cause) => {
      const message = cause instanceof Error ? cause.message : String(cause);
      fail(new FuzzError('runtime', `a sampling thread failed: ${message}`, { cause }));
    });
    return worker;
  });

  return {
    graphs,
    // One block for each thread to work on and one to go on with.
    atOnce: 2 * count,
    draw: (task) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) {
          reject(failure);
          return;
        }
        const id = next++;
        waiting.set(id, { resolve, reject });
        workers[id % count]!.postMessage({ id, task });
      }),
    async close() {
      fail(new FuzzError('interrupted', 'sampling: the pool was closed'));
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function shared(values: Int32Array): Int32Array {
  const copy = new Int32Array(new SharedArrayBuffer(values.byteLength));
  copy.set(values);
  return copy;
}
