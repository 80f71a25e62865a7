import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import {
  callThread,
  createRandom,
  type IndexedGraph,
  type KnowledgeGraph,
  type Numbered,
  shareGraph,
} from '@fuzzqe/core';
import { createRelationMiner, type MinedRelation } from './mine-relation.ts';

/** What is asked of a thread: the rules of relation 2k and its inverse. */
export interface MiningTask {
  readonly relation: number;
  readonly round: number;
  /** The seed of the task's own stream. */
  readonly seed: readonly number[];
  readonly known: MinedRelation['rules'];
}

/** A task for a thread. */
export interface NumberedTask extends Numbered {
  readonly task: MiningTask;
}

/** What a thread answers with. */
export interface NumberedRules extends Numbered {
  readonly mined: MinedRelation;
}

/** What a thread is started with. */
export interface MiningThread {
  readonly graph: IndexedGraph;
}

/** Mines relations, in this thread or in others. */
export interface MiningPool {
  /** How many tasks are worked on at once. */
  readonly atOnce: number;
  mine(task: MiningTask): Promise<MinedRelation>;
  /** Ends the threads; tasks that are not done are refused. */
  close(): Promise<void>;
}

/**
 * Starts a pool on a graph, whose index the threads share.
 *
 * With 0 workers, or run from TypeScript sources, where no compiled script lies next to this file, it mines in this thread.
 */
export function createMiningPool(
  graph: KnowledgeGraph,
  workers: number,
  entry: URL | undefined = defaultEntry(),
): MiningPool {
  return workers === 0 || entry === undefined ? poolHere(graph) : poolOfThreads(graph, workers, entry);
}

function defaultEntry(): URL | undefined {
  const entry = new URL('./mining-worker.js', import.meta.url);
  return existsSync(fileURLToPath(entry)) ? entry : undefined;
}

/** Answers tasks on a graph. */
export function createTaskMiner(graph: KnowledgeGraph): (task: MiningTask) => MinedRelation {
  const mine = createRelationMiner(graph);
  return ({ relation, round, seed, known }) => mine(relation, round, createRandom(...seed), known);
}

function poolHere(graph: KnowledgeGraph): MiningPool {
  const mine = createTaskMiner(graph);
  return {
    atOnce: 1,
    async mine(task) {
      // Signals get their turn when this thread waits.
      await setImmediate();
      return mine(task);
    },
    close: async () => {},
  };
}

function poolOfThreads(graph: KnowledgeGraph, count: number, entry: URL): MiningPool {
  const { entityCount, relationCount, index } = shareGraph(graph);
  const workerData: MiningThread = { graph: { entityCount, relationCount, index } };
  const threads = Array.from({ length: count }, () =>
    callThread<NumberedTask, NumberedRules>(new Worker(entry, { workerData }), 'a mining thread'),
  );
  const idle = [...threads];
  let next = 0;
  return {
    atOnce: count,
    async mine(task) {
      const thread = idle.pop()!;
      const { mined } = await thread.ask({ id: next++, task });
      idle.push(thread);
      return mined;
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
