import { parentPort, workerData } from 'node:worker_threads';
import { createKnowledgeGraph } from '@fuzzqe/core';
import type { BatchJob } from './batch-prefetch.ts';
import { createBatchSource } from './batch-source.ts';

// The script of the thread that draws batches: it answers each step's number with the step's feeds.
const { model, config, shape, graph, queries }: BatchJob = workerData;
const source = createBatchSource(model, config, shape, { graph: createKnowledgeGraph(graph), queries });
parentPort!.on('message', (step: number) => {
  const feeds = source.feeds(step);
  parentPort!.postMessage(
    { step, feeds },
    Object.values(feeds).map(({ data }) => data.buffer as ArrayBuffer),
  );
});
