// Step time beside PyTorch on the same CPU, in the same run: node bench/peers/train-step.mjs DATA --python PYTHON
//
// Both get the same parameters and batches and must report the same losses; blocks of steps alternate, so that whatever
// else the machine does meets both. Prints one line a configuration: medians, and the median of the blocks' ratios.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { readDataset, sampleQueries } from '@fuzzqe/data';
import {
  createBatchLayout,
  createBatchSource,
  gemmRate,
  initialState,
  learnedNames,
  ortCpuRuntime,
  plainTraining,
  programCost,
  stepProgram,
} from '@fuzzqe/train';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    python: { type: 'string', default: 'python3' },
    threads: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '7' },
    sizes: { type: 'string', default: '200x50,400x50' },
    negatives: { type: 'string', default: '128' },
    naive: { type: 'boolean', default: true },
  },
});
const threads = Number(flags.threads);
const counts = { '1p': 256, '2p': 256 };
const batches = 6;
const decay = { entities: 0.3, coefficients: 0.01, bases: 0.01, biasBases: 0.01 };

const dataset = await readDataset(positionals[0]);
const graph = dataset.graphs().train;
const queries = [
  await sampleQueries({
    structure: '2p',
    count: 2000,
    smaller: null,
    larger: graph,
    random: createRandom('2p'),
  }),
];

for (const size of flags.sizes.split(',')) {
  const [dimension, bases] = size.split('x').map(Number);
  console.log(await measure(dimension, bases));
}

async function measure(dimension, bases) {
  const config = {
    ...plainTraining,
    model: { ...plainTraining.model, dimension, bases },
    negatives: { kind: 'shared', count: Number(flags.negatives), byDegree: 0, allFrom: 1 },
    batch: counts,
    optimiser: { ...plainTraining.optimiser, decay },
  };
  const model = { ...config.model, entities: graph.entityCount, relations: graph.relationCount };
  const layout = createBatchLayout(
    Object.entries(counts).map(([structure, count]) => ({ structure, count })),
  );
  const step = stepProgram(model, config, layout);
  const source = createBatchSource(model, config, step, { graph, queries });
  const outer = createBatchSource(model, { ...config, projection: 'outer' }, step, { graph, queries });
  const feeds = Array.from({ length: batches }, (_, at) => ({ ...source.feeds(at), ...outer.feeds(at) }));
  const state = initialState(model, config);

  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-peer-'));
  const ours = await ortCpuRuntime({ threads }).open(step, state);
  try {
    await writeTask(folder, { model, config, step, feeds, state });
    const peer = await startPeer(folder);
    let at = 0;
    const run = async (steps) => {
      const ms = [];
      let loss = 0;
      for (let i = 0; i < steps; i += 1) {
        const start = performance.now();
        loss = await ours.step(feedsOf(step, feeds[at % batches]));
        ms.push(performance.now() - start);
        at += 1;
      }
      return { ms, loss };
    };
    const forms = flags.naive ? ['grouped', 'outer', 'naive'] : ['grouped', 'outer'];
    const times = { ours: [], ...Object.fromEntries(forms.map((form) => [form, []])) };
    const ratios = Object.fromEntries(forms.map((form) => [form, []]));
    const losses = {};
    for (let round = 0; round <= Number(flags.rounds); round += 1) {
      const own = await run(3);
      for (const form of forms) {
        const theirs = await peer.run(form, 3);
        if (round === 0) losses[form] = Math.abs(theirs.loss - own.loss) / own.loss;
        else {
          times[form].push(...theirs.ms);
          ratios[form].push(median(theirs.ms) / median(own.ms));
        }
      }
      if (round > 0) times.ours.push(...own.ms);
    }
    peer.close();
    const { matmulFlop } = programCost(step.program, feeds[0]);
    const rate = matmulFlop / median(times.ours) / 1e6;
    const { gflops: ceiling } = await gemmRate(ortCpuRuntime({ threads }), 3);
    const line = (name) => `${name} ${median(times[name]).toFixed(0)} ms`;
    return [
      `d=${dimension} K=${bases}, ${threads} threads, torch ${peer.version}: ours ${median(times.ours).toFixed(0)} ms, ` +
        `${rate.toFixed(0)} GFLOP/s in products of matrices, ${((100 * rate) / ceiling).toFixed(0)} % of ${ceiling.toFixed(0)} in large ones`,
      ...forms.map(
        (form) =>
          `${line(form)} = ${median(ratios[form]).toFixed(2)} × ours (blocks ${Math.min(...ratios[form]).toFixed(2)} to ` +
          `${Math.max(...ratios[form]).toFixed(2)}; loss after 3 steps differs by ${losses[form].toExponential(1)})`,
      ),
    ].join('\n  ');
  } finally {
    await ours.close();
    await rm(folder, { recursive: true });
  }
}

/** What one step program is fed with: the batch has the feeds of both forms. */
function feedsOf(step, feeds) {
  return Object.fromEntries(
    step.program.inputs.map(({ attributes }) => [attributes.name, feeds[attributes.name]]),
  );
}

async function writeTask(folder, { model, config, step, feeds, state }) {
  const tensors = {};
  const write = async (name, shape, data) => {
    const dtype = data instanceof Float32Array ? 'float' : data instanceof Int32Array ? 'int' : 'bool';
    tensors[name] = { shape, dtype };
    await writeFile(join(folder, `${name}.bin`), data);
  };
  const { dimension: d, bases: count, entities, relations } = model;
  const shapes = {
    entities: [entities, d],
    coefficients: [relations, count],
    bases: [count, d, d],
    biasBases: [count, d],
    logTemperature: [1],
  };
  for (const name of learnedNames(config)) await write(name, shapes[name], state[name]);
  for (const [at, batch] of feeds.entries())
    for (const [name, { shape, data }] of Object.entries(batch)) await write(`${at}.${name}`, shape, data);
  const header = {
    tensors,
    ...{
      dimension: d,
      bases: count,
      entities,
      negatives: step.negatives,
      learned: learnedNames(config),
      ...counts,
    },
    ...{ decay, learningRate: config.optimiser.learningRate, batches, feeds: Object.keys(feeds[0]) },
  };
  await writeFile(join(folder, 'header.json'), JSON.stringify(header));
}

async function startPeer(folder) {
  const script = new URL('train_step.py', import.meta.url).pathname;
  const child = spawn(flags.python, [script, folder, String(threads)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${flags.python} ended early`);
    return JSON.parse(value);
  };
  const { torch: version } = await next();
  return {
    version,
    async run(form, steps) {
      child.stdin.write(`${form} ${steps}\n`);
      return next();
    },
    close: () => child.stdin.end(),
  };
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
