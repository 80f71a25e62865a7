// Recall@10 and times of entity indexes beside the exact ranking, on a bundle or on rows that are drawn.
//
//   npm run build && node bench/entity-index.mjs --bundle DIR --to postgres://localhost/kg --to lancedb:/tmp/index [--queries 280]
//   npm run build && node bench/entity-index.mjs --rows 1000000 --dimension 128 --to … [--queries 50]
//
// Drivers have to be installed (npm install pg @lancedb/lancedb apache-arrow). Indexes are made anew and stay; --resume goes on instead.
// --server PID: the database, whose CPU and memory are then told beside those of this process. Drawn rows: 256 centres and noise, positive, of length 1; queries: products of two rows of one centre, as conjunctions are. `exact` of a bundle is its ranking
// graph, of drawn rows a plain loop; `processor` is that of this process a query, which a database beside it does not add to.
import { parseArgs } from 'node:util';
import { asEntityId, createRandom } from '@fuzzqe/core';
import { entity } from '@fuzzqe/core/query';
import { topK } from '@fuzzqe/core/ranking';
import { createIndexedRanker, openEngine } from '@fuzzqe/engine';
import { measureRecall, openEntityIndex, pushIndex } from '@fuzzqe/entity-index';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import { watchTree } from './process-tree.mjs';
import { drawQueries } from './serve/queries.mjs';

const { values } = parseArgs({
  options: {
    bundle: { type: 'string' },
    to: { type: 'string', multiple: true, default: [] },
    rows: { type: 'string', default: '100000' },
    dimension: { type: 'string', default: '128' },
    queries: { type: 'string', default: '280' },
    batch: { type: 'string' },
    server: { type: 'string' },
    resume: { type: 'boolean' },
  },
});
const count = Number(values.queries);
const k = 10;
const subject =
  values.bundle === undefined
    ? drawn(Number(values.rows), Number(values.dimension))
    : await ofBundle(values.bundle);
const { engine, queries, entityCount, title } = subject;

const titles = [
  'rows',
  'index',
  'rows s',
  'graph s',
  'CPU s of the push here',
  'and there',
  'MiB here',
  'and there',
];
const found = [`recall@${k}`, 'all found', 'ms by index', 'ms exact', 'CPU ms here by both', 'and there'];
console.log([...titles, ...found].join(' | '));
for (const address of values.to) {
  const begun = performance.now();
  const ownBefore = process.cpuUsage();
  const pushing = watchServer();
  const own = watchTree(process.pid);
  let [written, shown] = [begun, 0];
  const { name } = await pushIndex(engine, address, {
    replace: values.resume !== true,
    ...(values.batch === undefined ? {} : { batch: Number(values.batch) }),
    onProgress(step, done, total) {
      if (step === 'rows' && done === total) written = performance.now();
      if (performance.now() - shown < 10_000) return;
      shown = performance.now();
      console.error(`${step} ${done}/${total} after ${((shown - begun) / 1000).toFixed(0)} s`);
    },
  });
  const ended = performance.now();
  const ownCpu = secondsOf(process.cpuUsage(ownBefore));
  const [here, there] = [own.end(), pushing?.end()];
  const { manifest, profile, ranker } = engine;
  const index = await openEntityIndex(address, { manifest, profile, checkEvery: 0, timeout: 60_000 });
  const indexed = createIndexedRanker({ ...ranker, close: async () => {} }, index, { entityCount });
  // What is first loaded and planned is nobody's time.
  await measureRecall(queries.slice(0, 10), { exact: ranker, indexed }, { k });
  const before = process.cpuUsage();
  const searching = watchServer();
  const { recall, whole, milliseconds } = await measureRecall(queries, { exact: ranker, indexed }, { k });
  const each = (seconds) => (seconds === undefined ? '' : ((1000 * seconds) / queries.length).toFixed(2));
  const figures = [
    ((written - begun) / 1000).toFixed(1),
    ((ended - written) / 1000).toFixed(1),
    ownCpu.toFixed(1),
    there?.seconds.toFixed(1) ?? '',
    here.memory.toFixed(0),
    there?.memory.toFixed(0) ?? '',
    `${(100 * recall).toFixed(2)} %`,
    `${(100 * whole).toFixed(1)} %`,
    milliseconds.index.toFixed(2),
    milliseconds.exact.toFixed(2),
    each(secondsOf(process.cpuUsage(before))),
    each(searching?.end().seconds),
  ];
  console.log([title, name, ...figures].join(' | '));
  await indexed.close();
}
await engine.ranker.close();

async function ofBundle(folder) {
  const opened = await openEngine({
    source: folderSource(folder),
    sessions: nodeSessions(folder),
    plan: 'operators',
  });
  const random = createRandom('bench entity index');
  const { entityCount } = opened.facts;
  const { name, model } = opened.manifest;
  return {
    engine: opened,
    entityCount,
    queries: drawQueries(opened.facts, count, random).map(({ query }) => query),
    title: `${name}: ${entityCount} × ${model.dimension}`,
  };
}

function secondsOf({ user, system }) {
  return (user + system) / 1e6;
}

function watchServer() {
  return values.server === undefined ? undefined : watchTree(Number(values.server));
}

/** Rows without a bundle: a query is the entity of its number, and its embedding is made of two rows. */
function drawn(rows, dimension) {
  const random = createRandom('bench entity index', rows, dimension);
  const centres = Array.from({ length: 256 }, () =>
    Array.from({ length: dimension }, () => random.uniform() ** 2),
  );
  const table = new Float32Array(rows * dimension);
  const row = (id) => table.subarray(id * dimension, (id + 1) * dimension);
  for (let id = 0; id < rows; id += 1) {
    const [centre, own] = [centres[id % 256], row(id)];
    for (let i = 0; i < dimension; i += 1) own[i] = centre[i] + 0.3 * random.uniform();
    const length = Math.hypot(...own);
    for (let i = 0; i < dimension; i += 1) own[i] /= length;
  }
  let asQueries = false;
  const embeddingOf = (id) => {
    const own = row(id);
    if (!asQueries) return own;
    const other = row((id + 256) % rows);
    return own.map((value, i) => value * other[i] * 8);
  };
  const product = (x, id) => {
    let sum = 0;
    for (let i = 0, at = id * dimension; i < dimension; i += 1, at += 1) sum += x[i] * table[at];
    return sum;
  };
  const answer = ({ task, query, embedding, ids, k }) => {
    if (task === 'embed') return { task, embedding: embeddingOf(query.entity) };
    if (task === 'recorded') return { task, ids: new Int32Array() };
    if (task === 'score') return { task, scores: Float32Array.from(ids, (id) => product(embedding, id)) };
    const x = embeddingOf(query.entity);
    const best = topK(
      Float32Array.from({ length: rows }, (_, id) => product(x, id)),
      k,
    );
    return { task: 'embedding', ...best, known: new Uint8Array(k) };
  };
  const ranker = {
    runtime: 'drawn rows',
    plan: 'operators',
    ready: true,
    async rank(batch) {
      asQueries = !batch.every(({ task }) => task === 'embed');
      return batch.map(answer);
    },
    warmUp: async () => {},
    close: async () => {},
  };
  const model = { entities: rows, dimension, score: 'innerProduct' };
  const sha256 = `${rows}x${dimension}`.padEnd(64, '0');
  return {
    engine: { manifest: { sha256, name: 'drawn', model }, profile: 'fp32', ranker },
    entityCount: rows,
    queries: Array.from({ length: count }, () => entity(asEntityId(random.below(rows)))),
    title: `drawn: ${rows} × ${dimension}`,
  };
}
