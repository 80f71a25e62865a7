import { parentPort, workerData } from 'node:worker_threads';
import { openKnowledgeGraph } from '@fuzzqe/core';
import { createBlockDraw } from './draw-block.ts';
import type { WorkerGraphs, WorkerReply, WorkerTask } from './sampling-pool.ts';

// The script of a sampling thread: it answers each task with a block.
const { graphs }: WorkerGraphs = workerData;
const draw = createBlockDraw((index) => openKnowledgeGraph(graphs[index]!));
parentPort!.on('message', ({ id, task }: WorkerTask) => {
  const block = draw(task);
  const { anchors, relations, easy, hard } = block.queries;
  const arrays = [block.draws, anchors, relations, easy.ids, easy.offsets, hard.ids, hard.offsets];
  const reply: WorkerReply = { id, block };
  parentPort!.postMessage(
    reply,
    arrays.map(({ buffer }) => buffer as ArrayBuffer),
  );
});
