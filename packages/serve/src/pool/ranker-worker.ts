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
import type { ThreadCall, ThreadNote, WorkerBundle } from './thread-lane.ts';

// What starts this script listens.
const port = parentPort!;
const hosts = new Map<number, ReturnType<typeof createRankerHost>>();

port.on('message', async ({ id, call }: NumberedCall<ThreadCall>) => {
  if (call.does === 'end') {
    // Nothing else keeps the thread alive; to end it in a run would end the process.
    port.close();
    return;
  }
  if (call.does === 'open') {
    // What is wrong with a bundle is the answer to its calls: other bundles are on this thread.
    const ranker = Promise.resolve(call.given).then(openRanker);
    ranker.catch(() => undefined);
    hosts.set(
      call.bundle,
      createRankerHost(() => ranker),
    );
    port.postMessage({ id, reply: { runtime: '', results: [] } });
    return;
  }
  // A run blocks the thread; between the runs of one bundle, those of another may come.
  const reply = await hosts.get(call.bundle)?.(call);
  if (call.does === 'close') hosts.delete(call.bundle);
  if (reply !== undefined) port.postMessage({ id, reply }, buffersOf(reply));
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
