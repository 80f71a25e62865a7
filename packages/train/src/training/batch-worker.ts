import { parentPort, workerData } from 'node:worker_threads';
import { type Numbered, openKnowledgeGraph } from '@fuzzqe/core';
import type { BatchJob, BatchReply } from './batch-prefetch.ts';
import { createBatchSource } from './batch-source.ts';

// The script of the thread that draws batches: it answers each step's number with the step's feeds.
const { model, config, shape, graph, queries, rejected }: BatchJob = workerData;
const source = createBatchSource(model, config, shape, {
  ...{ graph: openKnowledgeGraph(graph), queries, rejected },
});
parentPort!.on('message', ({ id }: Numbered) => {
  const feeds = source.feeds(id);
  const reply: BatchReply = { id, feeds };
  parentPort!.postMessage(
    reply,
    Object.values(feeds).map(({ data }) => data.buffer as ArrayBuffer),
  );
});
