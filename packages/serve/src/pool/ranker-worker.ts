import { parentPort } from 'node:worker_threads';
import { type BundleSource, compareWhenUsed } from '@fuzzqe/bundle';
import { openKnowledgeGraph } from '@fuzzqe/core';
import { checkedGraphs } from '@fuzzqe/engine';
import {
  buffersOf,
  createLikelyRanker,
  createRankerHost,
  type LikelyModel,
  type NumberedCall,
  type RankedBundle,
  rankerGrowth,
  runAmongCandidates,
} from '@fuzzqe/engine/ranker';
import { folderSource } from '../bundle-source.ts';
import { nodeSessions } from '../session.ts';
import type { OpenThread, ThreadNote, WorkerBundle } from './thread-lane.ts';

// What starts this script listens.
const port = parentPort!;
let answer: ReturnType<typeof createRankerHost> | undefined;

port.on('message', async (message: NumberedCall | OpenThread) => {
  const { call } = message;
  if (call.does === 'open') {
    answer = createRankerHost(openRanker(call.bundle));
    return;
  }
  // One call after the other: a run blocks the thread anyway. Before a bundle, nothing but the end can be asked for.
  const reply = await answer?.(call);
  if (reply !== undefined && 'id' in message) port.postMessage({ id: message.id, reply }, buffersOf(reply));
  // Nothing else keeps the thread alive; to end it in a run would end the process.
  if (call.does === 'close') port.close();
});

function openRanker({
  directory,
  manifest,
  profileName,
  facts,
  entailed,
  axioms,
  evidence,
  rankAll,
  linksAmong,
  checked,
  verify,
  ...options
}: WorkerBundle) {
  const folder = folderSource(directory);
  const files = verify ? compareWhenUsed(folder, manifest) : folder;
  const graphs = checkedGraphs(files, manifest, profileName);
  const known = new Set(checked);
  const source: BundleSource = {
    ...files,
    async verify(path) {
      if (known.has(path)) return;
      await graphs.verify?.(path);
      known.add(path);
    },
  };
  const bundle: RankedBundle & LikelyModel = {
    source,
    manifest,
    profile: manifest.profiles[profileName]!,
    facts: openKnowledgeGraph(facts),
    entailed: entailed && openKnowledgeGraph(entailed),
    axioms,
    evidence,
    rankAll,
    linksAmong,
    growth: rankerGrowth,
    run: runAmongCandidates({ manifest, evidence }),
  };
  return createLikelyRanker(bundle, {
    sessions: nodeSessions(directory, { threads: 1 }),
    log: (line) => port.postMessage({ note: line } satisfies ThreadNote),
    ...options,
  });
}
