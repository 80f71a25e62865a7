import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { callThread, type IndexedGraph, type Numbered, shareGraph } from '@fuzzqe/core';
import type { SampledQueries } from '@fuzzqe/data';
import type { ModelConfig } from '@fuzzqe/model';
import type { TrainingConfig } from '../config.ts';
import { expectLinkDraw } from '../links/link-draw.ts';
import type { Feeds } from '../runtimes/training-runtime.ts';
import { type BatchMaterial, type BatchShape, createBatchSource, expectQueries } from './batch-source.ts';

/** Feeds that are drawn ahead of time. */
export interface BatchStream {
  /** The feeds of a step; steps are asked for one after the other. */
  feeds(step: number): Promise<Feeds>;
  /** Seconds that `feeds` has kept its caller waiting. */
  readonly waited: number;
  close(): Promise<void>;
}

/** What the thread that draws batches is started with. */
export interface BatchJob {
  readonly model: ModelConfig;
  readonly config: TrainingConfig;
  readonly shape: BatchShape;
  readonly graph: IndexedGraph;
  readonly queries: readonly SampledQueries[];
  readonly rejected: Int32Array | undefined;
}

/** What it answers the number of a step with. */
export interface BatchReply extends Numbered {
  readonly feeds: Feeds;
}

/** How batches are drawn. */
export interface StreamOptions {
  /**
   * How many batches are drawn ahead: enough to bridge a slow one, few enough to fit in memory. Default 3; a device that
   * takes several in one run wants the next ones drawn meanwhile.
   */
  readonly ahead?: number;
  /** The script of the thread. */
  readonly entry?: URL | undefined;
}

/**
 * Draws batches on another thread while the engine computes; the feeds are the same as on this thread.
 *
 * Run from TypeScript sources, where no compiled script lies next to this file, batches are drawn when asked for.
 */
export function streamBatches(
  model: ModelConfig,
  config: TrainingConfig,
  shape: BatchShape,
  material: BatchMaterial,
  { ahead = 3, entry = workerScript() }: StreamOptions = {},
): BatchStream {
  // Looked at here in any case, so that the error comes from this thread and before anything runs.
  expectQueries(shape.layout, material.queries);
  expectLinkDraw(config.links);
  if (entry === undefined) {
    const source = createBatchSource(model, config, shape, material);
    let waited = 0;
    return {
      async feeds(step) {
        const start = performance.now();
        const feeds = source.feeds(step);
        waited += (performance.now() - start) / 1000;
        return feeds;
      },
      get waited() {
        return waited;
      },
      close: async () => {},
    };
  }
  const { entityCount, relationCount, index } = shareGraph(material.graph);
  const job: BatchJob = {
    model,
    config,
    shape,
    graph: { entityCount, relationCount, index },
    queries: material.queries,
    rejected: material.rejected,
  };
  return threadStream(new Worker(entry, { workerData: job }), ahead);
}

function workerScript(): URL | undefined {
  // Node 20 runs no TypeScript, so only compiled code has a thread to start.
  const script = new URL('./batch-worker.js', import.meta.url);
  return existsSync(fileURLToPath(script)) ? script : undefined;
}

function threadStream(worker: Worker, ahead: number): BatchStream {
  const thread = callThread<Numbered, BatchReply>(worker, 'the thread that draws batches');
  const drawn = new Map<number, Promise<BatchReply>>();
  let asked = -1;
  let waited = 0;
  return {
    async feeds(step) {
      const start = performance.now();
      for (let next = Math.max(asked + 1, step); next <= step + ahead; next += 1) {
        const reply = thread.ask({ id: next });
        // Anyone who asks for the step hears of it; a step that nobody asks for is nobody's error.
        reply.catch(() => undefined);
        drawn.set(next, reply);
        asked = next;
      }
      const ready = drawn.get(step)!;
      drawn.delete(step);
      const { feeds } = await ready;
      waited += (performance.now() - start) / 1000;
      return feeds;
    },
    get waited() {
      return waited;
    },
    close: () => thread.close(),
  };
}
