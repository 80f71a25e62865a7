// What prepacking costs and gives: memory and milliseconds of the graphs that compare with every entity.
//
//   npm run build && node bench/prepacking.mjs BUNDLE [--profile fp32] [--repeats 50]
//
// BUNDLE may be one of `bench/export.mjs --out`. Each graph is opened with and without prepacking, in a process of its own,
// on one thread of onnxruntime-node. `rank` takes that many queries, `links` links. Memory is what
// the process holds for itself after the runs beyond what it held before it opened the graph: mapped weights are not in it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openInferenceSession, Tensor } from '@fuzzqe/ort';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: 'string', default: 'fp32' },
    repeats: { type: 'string', default: '50' },
    graph: { type: 'string' },
    prepack: { type: 'string' },
  },
});
const [directory] = positionals;
const { model, profiles } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
const profile = profiles[values.profile];

/** What the process holds for itself, in MB; of Linux alone. */
function ownMemory() {
  const text = readFileSync('/proc/self/smaps_rollup', 'utf8');
  return Number(/^Anonymous:\s+(\d+) kB/m.exec(text)[1]) / 1e3;
}

const numbers = (count) => Float32Array.from({ length: count }, (_, i) => ((i * 7919) % 1009) / 1009);
const ids = (count, limit) => Int32Array.from({ length: count }, (_, i) => (i * 104_729) % limit);

/** Inputs of a graph for `rows` queries, links or members. */
function feedsOf({ inputs }, rows) {
  const special = { k: Int32Array.of(10), calibration: Float32Array.of(20, 0.3, 0.1) };
  return Object.fromEntries(
    inputs.map(({ name, dtype, shape }) => {
      const dims = shape.map((dim) => (typeof dim === 'number' ? dim : rows));
      const size = dims.reduce((product, dim) => product * dim, 1);
      const limit = name === 'relations' ? model.relations : model.entities;
      const data = special[name] ?? (dtype === 'int' ? ids(size, limit) : numbers(size));
      return [name, new Tensor(dtype === 'int' ? 'int32' : 'float32', data, dims)];
    }),
  );
}

async function measure(graph, prepack) {
  const before = ownMemory();
  const session = await openInferenceSession(join(directory, graph.path), {
    intraOpNumThreads: 1,
    extra: { session: { disable_prepacking: prepack ? '0' : '1', intra_op: { allow_spinning: '0' } } },
  });
  const times = [];
  for (const rows of [1, 16]) {
    const feeds = feedsOf(graph, rows);
    const all = [];
    for (let i = 0; i < 5 + Number(values.repeats); i += 1) {
      const start = performance.now();
      await session.run(feeds);
      if (i >= 5) all.push(performance.now() - start);
    }
    times.push(all.sort((a, b) => a - b)[Math.floor(all.length / 2)]);
  }
  return { times, memory: ownMemory() - before };
}

if (values.graph !== undefined) {
  console.log(JSON.stringify(await measure(profile[values.graph], values.prepack === 'yes')));
} else {
  const { entities, dimension } = model;
  console.log(`|E| ${entities}, d ${dimension}, ${values.profile}, one thread`);
  console.log('graph        prepacked   1 row      16 rows    own memory');
  for (const graph of ['rank', 'links'])
    for (const prepack of ['no', 'yes']) {
      const args = [directory, '--profile', values.profile, '--repeats', values.repeats];
      const child = [fileURLToPath(import.meta.url), ...args, '--graph', graph, '--prepack', prepack];
      const { times, memory } = JSON.parse(execFileSync(process.execPath, child, { encoding: 'utf8' }));
      const [one, many] = times.map((time) => `${time.toFixed(2)} ms`.padEnd(10));
      console.log(`${graph.padEnd(12)} ${prepack.padEnd(11)} ${one} ${many} ${memory.toFixed(0)} MB`);
    }
}
