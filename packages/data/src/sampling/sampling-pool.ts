import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import {
  callThread,
  expectOptions,
  type IndexedGraph,
  type KnowledgeGraph,
  type Numbered,
  shareGraph,
} from '@fuzzqe/core';
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

/** What a thread is started with. Indices are shared, so that threads do not copy them. */
export interface WorkerGraphs {
  readonly graphs: readonly IndexedGraph[];
}

/** What a thread is asked. */
export interface WorkerTask extends Numbered {
  readonly task: DrawTask;
}

/** What a thread answers with. */
export interface WorkerReply extends Numbered {
  readonly block: DrawnBlock;
}

/**
 * Starts a pool.
 *
 * Threads share the indices of the graphs. Run from TypeScript sources, where no compiled
 * script lies beside this file, a pool draws in this thread.
 *
 * @example
 * const { train } = dataset.graphs();
 * const pool = createSamplingPool({ graphs: [train], workers: 2 });
 * await pool.close();
 */
export function createSamplingPool(options: SamplingPoolOptions): SamplingPool {
  expectOptions('createSamplingPool', options, ['graphs', 'workers']);
  const { graphs, workers, entry } = options;
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
    graphs: graphs.map((graph) => {
      const { entityCount, relationCount, index } = shareGraph(graph);
      return { entityCount, relationCount, index };
    }),
  };
  const threads = Array.from({ length: count }, () =>
    callThread<WorkerTask, WorkerReply>(new Worker(entry, { workerData }), 'a sampling thread'),
  );
  let next = 0;
  return {
    graphs,
    // One block for each thread to work on and one to go on with.
    atOnce: 2 * count,
    async draw(task) {
      const id = next++;
      const { block } = await threads[id % count]!.ask({ id, task });
      return block;
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
