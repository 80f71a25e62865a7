// What a Worker weighs and takes, in workerd on this machine: script, cold start, memory, warm queries.
//   npm run build && node bench/edge.mjs [BUNDLE for workers ...]
// Without bundles it makes some of random weights: of the size of Countries, and of FB15k-237 with d = 400 by bases and by blocks, as
// its presets have them. CPU times are those of the process of workerd (Linux): of a cold start the median of 5, of warm queries of
// each query, drawn anew for each round. Requests go to the Worker's own address, not through the Worker that miniflare puts before
// it in the same thread. Walls are beside them.
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createRandom } from '@fuzzqe/core';
import { formatQuery, instantiate, structureNames, structures } from '@fuzzqe/core/query';
import { createProgram, input, neg } from '@fuzzqe/core/tensor';
import { openBundle } from '@fuzzqe/engine';
import { emitOnnx } from '@fuzzqe/onnx';
import { bundleHost, startWorker, workerFromImage } from '@fuzzqe/parity/testing';
import { folderSource } from '@fuzzqe/serve';
import { madeBundle } from './serve/made-bundle.mjs';

const starts = 5;
/** Of 14 queries each. V8 compiles what runs often while the first ones are answered. */
const [earlyRounds, warmUpRounds, rounds] = [10, 20, 20];
/** p50 of CPU of the Worker's thread, in milliseconds: up to so many entities the smaller one. */
const goals = { cold: 500, fewEntities: 1000, few: 3, many: 15, heap: 64e6 };

/** A Worker that opens nothing but a graph of one node: what the runtime takes by itself. */
const bareScript = (model) => `
import wasm from './ort.wasm';
import { workerRuntime } from '@fuzzqe/edge/worker';
const ort = workerRuntime(wasm);
export default {
  async fetch(request) {
    if (request.url.endsWith('/livez')) return new Response();
    ort.env.wasm.numThreads = 1;
    const model = Uint8Array.from(atob('${Buffer.from(model).toString('base64')}'), (c) => c.charCodeAt(0));
    const session = await ort.InferenceSession.create(model, { executionProviders: ['wasm'] });
    await session.run({ x: new ort.Tensor('float32', Float32Array.of(1), [1]) });
    return new Response();
  },
};`;

const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
const median = (values) => quantile(values, 0.5);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const milliseconds = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

/** The process of workerd that is a child of this one. */
async function workerdProcess() {
  for (const id of await readdir('/proc')) {
    const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/.exec(stat) ?? [];
    if (name === 'workerd' && Number(parent) === process.pid) return id;
  }
  throw new Error('expected a process workerd among the children of this one');
}

/** CPU time in milliseconds: of all threads, and of the one that runs the Worker, which is what platforms count. */
async function cpuOf(id) {
  const [all, own] = await Promise.all([ticksOf(`/proc/${id}/stat`), threadOf(id)]);
  return { all, own };
}

/** Of ticks of 10 ms. */
async function ticksOf(file) {
  const fields = (await readFile(file, 'utf8')).replace(/^.*\) /, '').split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** Of nanoseconds, where the kernel counts them. */
async function threadOf(id) {
  const thread = `/proc/${id}/task/${id}`;
  const [nanoseconds = '0'] = (await readFile(`${thread}/schedstat`, 'utf8').catch(() => '0')).split(' ');
  return Number(nanoseconds) > 0 ? Number(nanoseconds) / 1e6 : ticksOf(`${thread}/stat`);
}

const between = (from, to) => ({ all: to.all - from.all, own: to.own - from.own });
const medians = (times) => ({
  all: median(times.map(({ all }) => all)),
  own: median(times.map(({ own }) => own)),
});
const shown = ({ all, own }) => `${milliseconds(own)} CPU of its thread, ${milliseconds(all)} of all threads`;

async function residentOf(id) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${id}/status`, 'utf8'));
  return 1024 * Number(kilobytes);
}

/** Gives a drawn query of each structure, in the notation, at each call. */
async function drawnQueries(bundle) {
  const { vocabulary, manifest } = await openBundle(folderSource(bundle));
  const { entities, relations } = manifest.model;
  const random = createRandom('bench edge');
  const ids = (count, below) => Array.from({ length: count }, () => random.below(below));
  const draw = () =>
    structureNames.map((name) => {
      const { template, anchors, relations: steps } = structures[name];
      return formatQuery(instantiate(template, ids(anchors, entities), ids(steps, relations)), vocabulary);
    });
  return { draw, entities };
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** A request to a Worker's own address. */
function send(worker, path, body) {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(new URL(path, worker.address), { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`status ${response.statusCode}: ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const ask = (worker, query, mode) => send(worker, '/v1/query', JSON.stringify({ query, mode, k: 10 }));

async function measure(bundle, module) {
  const { draw, entities } = await drawnQueries(bundle);
  const cold = { cpu: [], wall: [] };
  const loaded = [];
  let warm;
  for (let start = 0; start < starts; start += 1) {
    const worker = await startWorker(module, { bundle, image, direct: true });
    try {
      const id = await workerdProcess();
      const idle = await cpuOf(id);
      // Loads the script and compiles the module, and opens nothing.
      await send(worker, '/livez');
      const [cpu, wall] = [await cpuOf(id), performance.now()];
      loaded.push(between(idle, cpu));
      await ask(worker, draw()[0], 'sets');
      cold.wall.push(performance.now() - wall);
      cold.cpu.push(between(cpu, await cpuOf(id)));
      if (start === starts - 1) warm = await warmOf(worker, id, draw);
    } finally {
      await worker.close();
    }
  }
  const goal = entities <= goals.fewEntities ? goals.few : goals.many;
  const opened = medians(cold.cpu);
  console.log(`\n${bundle}`);
  console.log(`  script and module loaded: ${shown(medians(loaded))}`);
  console.log(`  opened and first answer: ${shown(opened)}, ${milliseconds(median(cold.wall))} wall`);
  for (const line of warm.lines) console.log(`  ${line}`);
  for (const [what, seen, most, unit] of [
    ['cold', opened.own, goals.cold, milliseconds],
    ['warm by sets, p50', warm.sets, goal, milliseconds],
    ['warm by the embedding, p50', warm.embedding, goal, milliseconds],
    ['heap', warm.heap, goals.heap, megabytes],
  ])
    console.log(`  goal, ${what}: at most ${unit(most)}, seen ${unit(seen)}: ${seen <= most ? 'yes' : 'no'}`);
}

/** Times of some rounds of queries. */
async function timesOf(worker, id, draw, mode, count) {
  const before = await cpuOf(id);
  const [walls, owns] = [[], structureNames.map(() => [])];
  for (let round = 0; round < count; round += 1)
    for (const [i, query] of draw().entries()) {
      const [start, own] = [performance.now(), await threadOf(id)];
      await ask(worker, query, mode);
      walls.push(performance.now() - start);
      owns[i].push((await threadOf(id)) - own);
    }
  return { walls, owns, all: ((await cpuOf(id)).all - before.all) / walls.length };
}

async function warmOf(worker, id, draw) {
  const lines = [];
  const heapOf = async () => JSON.parse(await send(worker, '/heap')).reduce((sum, bytes) => sum + bytes, 0);
  const first = await heapOf();
  const found = {};
  for (const mode of ['sets', 'embedding']) {
    for (const query of draw()) await ask(worker, query, mode);
    const early = await timesOf(worker, id, draw, mode, earlyRounds);
    lines.push(
      `${mode}, first ${early.walls.length} queries: ${milliseconds(mean(early.owns.flat()))} CPU of its thread, ${milliseconds(early.all)} of all threads`,
    );
    await timesOf(worker, id, draw, mode, warmUpRounds);
    const { owns, walls, all } = await timesOf(worker, id, draw, mode, rounds);
    found[mode] = median(owns.flat());
    lines.push(
      `${mode}, warm: CPU of its thread p50 ${milliseconds(found[mode])}, p95 ${milliseconds(quantile(owns.flat(), 0.95))}, mean ${milliseconds(mean(owns.flat()))}; of all threads mean ${milliseconds(all)}; wall p50 ${milliseconds(median(walls))}`,
      `  of each structure: ${structureNames.map((name, i) => `${name} ${median(owns[i]).toFixed(1)}`).join(', ')}`,
    );
  }
  const empty = [];
  for (let i = 0; i < 300; i += 1) {
    const own = await threadOf(id);
    await send(worker, '/livez');
    empty.push((await threadOf(id)) - own);
  }
  lines.push(`an answer without a query: CPU of its thread p50 ${milliseconds(median(empty))}`);
  const heap = await heapOf();
  const count = 2 * (1 + earlyRounds + warmUpRounds + rounds) * structureNames.length + 1;
  lines.push(
    `heap of WebAssembly: ${megabytes(first)} after the first answer, ${megabytes(heap)} after ${count}; resident ${megabytes(await residentOf(id))}`,
  );
  return { ...found, heap, lines };
}

/** CPU time of the first request to each of some starts. */
async function bareCold() {
  const x = input('x', 'float', [1]);
  const model = emitOnnx(createProgram({ name: 'bare', inputs: [x], outputs: { y: neg(x) } }));
  const module = await bundleHost(bareScript(model));
  const cpu = [];
  for (let start = 0; start < starts; start += 1) {
    const worker = await startWorker(module, tmpdir());
    try {
      const id = await workerdProcess();
      await worker.request('/livez');
      const before = await cpuOf(id);
      await worker.request('/');
      cpu.push(between(before, await cpuOf(id)));
    } finally {
      await worker.close();
    }
  }
  return medians(cpu);
}

const module = await bundleHost(workerFromImage);
const image = await readFile(new URL('../packages/edge/dist/runtime.image', import.meta.url));
const { transform } = await import('esbuild');
const { code } = await transform(module, { minify: true, format: 'esm' });
const wasm = await readFile(
  createRequire(import.meta.url).resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'),
);
const [scriptGzip, wasmGzip] = [gzipSync(code).length, gzipSync(wasm, { level: 9 }).length];
console.log(
  `script ${megabytes(scriptGzip)} with the runtime's JavaScript, wasm ${megabytes(wasmGzip)}, together ${megabytes(scriptGzip + wasmGzip)}, all gzip`,
);

const given = process.argv.slice(2);
const folder = join(tmpdir(), 'fuzzqe-bench-edge');
const made = (name, size, profile = 'int8-basis') =>
  madeBundle(join(folder, name), { ...size, profiles: [profile], target: 'workers' });
const bundles =
  given.length > 0
    ? given
    : [
        await made('countries', { dimension: 64, bases: 16, entities: 271, relations: 4, edges: 1158 }),
        await made('fb15k-237-400', { dimension: 400, bases: 32 }),
        await made('fb15k-237-400-blocks', { dimension: 400, form: 'blocks' }, 'int8'),
      ];
console.log(`a Worker without an image that opens a graph of one node: ${shown(await bareCold())}`);
for (const bundle of bundles) await measure(bundle, module);
