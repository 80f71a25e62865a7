// The least that a server in Node does for the same answers: what node:http, JSON and the engine take alone. No text of queries, no log, no
// limits, no metrics, no keys; a query is a structure with ids, as the peer in Python has it.
//
//   node bench/serve/least-server.mjs BUNDLE PROFILE pool|local
//
// `pool`: HTTP in one thread, and the worker threads that `fuzzqe serve` has. `local`: two processes that share the port, each with its graphs in
// the thread of HTTP, which a heavy query holds up. POST /query answers what `engine.answer` gives, of batches of 32 at most.
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { instantiate, structures } from '@fuzzqe/core/query';
import { openEngine } from '@fuzzqe/engine';
import { folderSource, nodeSessions, openServingEngine } from '@fuzzqe/serve';

const mostTogether = 32;
const [bundle, profile, kind] = process.argv.slice(2);

if (kind === 'local' && cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()];
  let left = workers.length;
  for (const worker of workers)
    worker.on('listening', ({ port }) => {
      left -= 1;
      if (left === 0) console.log(`running on http://127.0.0.1:${port}`);
    });
  process.on('SIGTERM', () => {
    for (const worker of workers) worker.process.kill();
    process.exit(0);
  });
} else {
  const lanes = kind === 'pool' ? 2 : 1;
  const engine =
    kind === 'pool'
      ? await openServingEngine({ directory: bundle, profile, workers: lanes, verify: false })
      : await openEngine({
          source: folderSource(bundle),
          sessions: nodeSessions(bundle, { threads: 1 }),
          profile,
          plan: 'operators',
          verify: false,
        });
  await engine.warmUp('embedding');
  const waiting = [];
  let [running, isPlanned] = [0, false];
  const answer = async (batch) => {
    running += 1;
    const queries = batch.map(({ structure, anchors, relations }) =>
      instantiate(structures[structure].template, anchors, relations),
    );
    const answers = await engine.answerAll(queries, { mode: 'embedding', k: batch[0].k });
    for (const [i, each] of answers.entries()) {
      const text = JSON.stringify(each);
      const { response } = batch[i];
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    }
    running -= 1;
    plan();
  };
  const plan = () => {
    if (isPlanned || running === lanes || waiting.length === 0) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      while (running < lanes && waiting.length > 0) void answer(waiting.splice(0, mostTogether));
    });
  };
  const server = createServer((request, response) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      waiting.push({ ...JSON.parse(Buffer.concat(pieces).toString()), response });
      plan();
    });
  });
  server.listen(0, '127.0.0.1', () => {
    if (kind === 'pool') console.log(`running on http://127.0.0.1:${server.address().port}`);
  });
  process.on('SIGTERM', () => process.exit(0));
}
