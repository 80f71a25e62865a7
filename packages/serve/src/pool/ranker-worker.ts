import { parentPort, workerData } from 'node:worker_threads';
import { openKnowledgeGraph } from '@fuzzqe/core';
import { buffersOf, createLocalRanker, createRankerHost, type NumberedCall } from '@fuzzqe/engine';
import { folderSource } from '../bundle-source.ts';
import { nodeSessions } from '../session.ts';
import type { WorkerBundle } from './thread-lane.ts';

// What starts this script gives it these.
const { directory, manifest, profileName, facts, partitions, ...options } = workerData as WorkerBundle;
const port = parentPort!;
const ranker = createLocalRanker(
  {
    // Whoever started this thread has compared the files and checked the graphs.
    source: folderSource(directory),
    manifest,
    profile: manifest.profiles[profileName]!,
    facts: openKnowledgeGraph(facts),
    partitions,
  },
  { sessions: nodeSessions(directory, { threads: 1 }), ...options },
);
const answer = createRankerHost(ranker);
// One call after the other: a run blocks the thread anyway.
port.on('message', async ({ id, call }: NumberedCall) => {
  const reply = await answer(call);
  port.postMessage({ id, reply }, buffersOf(reply));
  // Nothing else keeps the thread alive; to end it in a run would end the process.
  if (call.does === 'close') port.close();
});
