// What a Worker weighs and takes, in workerd on this machine: script, cold start, memory, warm queries.
//   npm run build && node bench/edge.mjs [BUNDLE for workers ...]
// Without bundles it makes two of random weights: of the size of Countries, and of FB15k-237 with d = 400. CPU times are those of the
// process of workerd (Linux), medians of 5 starts; walls are beside them.
import { readdir, readFile } from 'node:fs/promises';
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
const rounds = 10;

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

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
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

/** CPU time in milliseconds, of ticks of 10: of all threads, and of the one that runs the Worker, which is what platforms count. */
async function cpuOf(id) {
  const [all, own] = await Promise.all([ticksOf(`/proc/${id}/stat`), ticksOf(`/proc/${id}/task/${id}/stat`)]);
  return { all, own };
}

async function ticksOf(file) {
  const fields = (await readFile(file, 'utf8')).replace(/^.*\) /, '').split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
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

/** A query of each structure, in the notation. */
async function queriesOf(bundle, random) {
  const { vocabulary, manifest } = await openBundle(folderSource(bundle));
  const { entities, relations } = manifest.model;
  const ids = (count, below) => Array.from({ length: count }, () => random.below(below));
  return structureNames.map((name) => {
    const { template, anchors, relations: steps } = structures[name];
    return formatQuery(instantiate(template, ids(anchors, entities), ids(steps, relations)), vocabulary);
  });
}

async function ask(worker, query, mode) {
  const { status, text } = await worker.fetch('/v1/query', JSON.stringify({ query, mode, k: 10 }));
  if (status !== 200) throw new Error(`status ${status}: ${text}`);
}

async function measure(bundle, module) {
  const random = createRandom('bench edge');
  const queries = await queriesOf(bundle, random);
  const cold = { cpu: [], wall: [] };
  const loaded = [];
  let warm;
  for (let start = 0; start < starts; start += 1) {
    const worker = await startWorker(module, { bundle, image });
    try {
      const id = await workerdProcess();
      const idle = await cpuOf(id);
      // Loads the script and compiles the module, and opens nothing.
      await worker.request('/livez');
      const [cpu, wall] = [await cpuOf(id), performance.now()];
      loaded.push(between(idle, cpu));
      await ask(worker, queries[0], 'sets');
      cold.wall.push(performance.now() - wall);
      cold.cpu.push(between(cpu, await cpuOf(id)));
      if (start === starts - 1) warm = await warmOf(worker, id, queries);
    } finally {
      await worker.close();
    }
  }
  console.log(`\n${bundle}`);
  console.log(`  script and module loaded: ${shown(medians(loaded))}`);
  console.log(
    `  opened and first answer: ${shown(medians(cold.cpu))}, ${milliseconds(median(cold.wall))} wall`,
  );
  for (const line of warm) console.log(`  ${line}`);
}

async function warmOf(worker, id, queries) {
  const lines = [];
  const heap = async () =>
    JSON.parse((await worker.fetch('/heap', '')).text).reduce((sum, bytes) => sum + bytes, 0);
  const first = await heap();
  for (const mode of ['sets', 'embedding']) {
    for (const query of queries) await ask(worker, query, mode);
    const walls = [];
    const before = await cpuOf(id);
    for (let round = 0; round < rounds; round += 1)
      for (const query of queries) {
        const start = performance.now();
        await ask(worker, query, mode);
        walls.push(performance.now() - start);
      }
    const { all, own } = between(before, await cpuOf(id));
    const each = { all: all / walls.length, own: own / walls.length };
    lines.push(`warm, ${mode}: ${shown(each)} a query, p50 ${milliseconds(median(walls))} wall`);
  }
  lines.push(
    `heap of WebAssembly: ${megabytes(first)} after the first answer, ${megabytes(await heap())} after ${2 * (rounds + 1) * queries.length + 1}; resident ${megabytes(await residentOf(id))}`,
  );
  return lines;
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
const made = (name, size) =>
  madeBundle(join(folder, name), { ...size, profiles: ['int8-basis'], target: 'workers' });
const bundles =
  given.length > 0
    ? given
    : [
        await made('countries', { dimension: 64, bases: 16, entities: 271, relations: 4, edges: 1158 }),
        await made('fb15k-237-400', { dimension: 400, bases: 32 }),
      ];
console.log(`a Worker without an image that opens a graph of one node: ${shown(await bareCold())}`);
for (const bundle of bundles) await measure(bundle, module);
