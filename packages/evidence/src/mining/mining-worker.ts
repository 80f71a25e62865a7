import { parentPort, workerData } from 'node:worker_threads';
import { openKnowledgeGraph } from '@fuzzqe/core';
import { createTaskMiner, type MiningThread, type NumberedRules, type NumberedTask } from './mining-pool.ts';

// The script of a mining thread: it answers each task with the rules of a relation and its inverse.
const { graph }: MiningThread = workerData;
const mine = createTaskMiner(openKnowledgeGraph(graph));
parentPort!.on('message', ({ id, task }: NumberedTask) => {
  const reply: NumberedRules = { id, mined: mine(task) };
  parentPort!.postMessage(reply);
});
