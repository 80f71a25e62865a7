// What this machine has at the moment: the scores of all entities alone, a copy in memory, and a server that does nothing.

import { rankAlone } from './engine.mjs';
import { runLoad } from './load.mjs';
import { postBytes } from './queries.mjs';
import { processorTime, startProcess } from './server-process.mjs';

const bareServer = `
import { createServer } from 'node:http';
const body = JSON.stringify({ answers: Array.from({ length: 10 }, (_, id) => ({ id, key: 'e' + id, label: 'a name of two words', degree: 0.5, known: false })) });
createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body));
}).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port); });
`;

/** Measures it in about five seconds. */
export async function probe(bundle, engine, profile) {
  const { entities, dimension } = engine.manifest.model;
  const alone = await rankAlone(bundle, engine.manifest, profile);
  const buffers = [Buffer.alloc(64e6, 1), Buffer.alloc(64e6, 2)];
  const copies = Array.from({ length: 12 }, () => {
    const start = performance.now();
    buffers[0].copy(buffers[1]);
    return performance.now() - start;
  });
  const server = await startProcess(process.execPath, ['--input-type=module', '-e', bareServer], {
    pattern: /http:\/\/127\.0\.0\.1:(\d+)/,
  });
  const before = processorTime(server.pid);
  const load = await runLoad({
    port: server.port,
    requests: [postBytes('/', { query: 'project(relation, entity)', k: 10 })],
    clients: 64,
    seconds: 3,
  });
  const http = processorTime(server.pid) - before;
  await server.stop();
  return {
    rank: alone.time,
    rankProcessor: alone.processor,
    flops: (2 * dimension * entities) / alone.time / 1e6,
    copy: 64e6 / Math.min(...copies) / 1e6,
    http: load.milliseconds.length / load.seconds,
    httpProcessor: (http * 0.75) / load.milliseconds.length,
  };
}

export function describeProbe({ rank, rankProcessor, flops, copy, http, httpProcessor }) {
  return [
    `scores and the best 10 alone, batch 64, one thread: ${rank.toFixed(3)} ms a query (${rankProcessor.toFixed(3)} of the processor, ${flops.toFixed(0)} GFLOP/s)`,
    `copy of 64 MB: ${copy.toFixed(1)} GB/s; a server that answers the same bytes, 64 clients: ${http.toFixed(0)}/s, ${httpProcessor.toFixed(3)} ms of the processor each`,
  ];
}
