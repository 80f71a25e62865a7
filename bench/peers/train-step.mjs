// Step time beside PyTorch on the same CPU, in the same run: node bench/peers/train-step.mjs DATA --python PYTHON
//
// Both get the same parameters and batches and must report the same losses. Blocks of steps alternate, so that other load of the
// machine meets both. Prints a line for each family: medians, and the median of the blocks' ratios, in wall time and processor time.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { structures } from '@fuzzqe/core/query';
import { readDataset, sampleQueries } from '@fuzzqe/data';
import { structuresOf } from '@fuzzqe/model';
import {
  createBatchLayout,
  createBatchSource,
  initialState,
  learnedNames,
  ortCpuRuntime,
  plainTraining,
  stepProgram,
} from '@fuzzqe/train';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    python: { type: 'string', default: 'python3' },
    threads: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '7' },
    steps: { type: 'string', default: '3' },
    families: { type: 'string' },
    width: { type: 'string', default: '200' },
    bases: { type: 'string', default: '50' },
    batch: { type: 'string', default: '1p=128,2p=64,2i=64' },
    negatives: { type: 'string', default: 'own:128' },
  },
});
const batches = 6;
const byDistances = { loss: { name: 'margin', margin: -24, scale: 1 }, projection: 'outer' };

/** The families: how many numbers d has for each of an entity, what differs from a plain run, and the forms of `step_families.py`. */
const families = {
  bases: { forms: ['grouped', 'outer', 'naive'], model: {}, projection: 'grouped' },
  blocks: {
    forms: ['plain'],
    model: { entityNormalisation: 'l1', projectionInput: 'raw' },
    projection: 'outer',
  },
  gqe: { scale: 4, forms: ['plain', 'cdist'], model: { projectionInput: 'raw' }, ...byDistances },
  gqeDeepSets: { scale: 6, forms: ['plain', 'cdist'], model: { projectionInput: 'raw' }, ...byDistances },
  query2box: { scale: 12, forms: ['plain', 'corners'], model: { projectionInput: 'raw' }, ...byDistances },
  betae: { scale: 4, forms: ['plain', 'products'], model: { projectionInput: 'raw' }, ...byDistances },
  complex: {
    forms: ['plain'],
    model: { projectionInput: 'raw' },
    loss: { temperature: 1 },
    regularisers: { n3: { weight: 0.1 } },
    projection: 'outer',
  },
};

const counts = Object.fromEntries(
  flags.batch.split(',').map((each) => [each.split('=')[0], Number(each.split('=')[1])]),
);
const [kind, count] = flags.negatives.split(':');
const dataset = await readDataset(positionals[0]);
const graph = dataset.graphs().train;
const queries = [];
for (const structure of Object.keys(counts).filter((name) => name !== '1p'))
  queries.push(
    await sampleQueries({
      structure,
      count: 1000,
      smaller: null,
      larger: graph,
      random: createRandom(structure),
    }),
  );

for (const name of flags.families?.split(',') ?? Object.keys(families)) console.log(await measure(name));

async function measure(name) {
  const { scale = 1, forms, model: choices, loss, regularisers = {}, projection } = families[name];
  const embedded = structuresOf({ relationForm: name });
  const batch = Object.fromEntries(Object.entries(counts).filter(([each]) => embedded.includes(each)));
  const config = {
    ...plainTraining,
    model: {
      ...plainTraining.model,
      relationForm: name,
      dimension: scale * Number(flags.width),
      bases: Number(flags.bases),
      ...choices,
    },
    loss: { ...plainTraining.loss, ...loss },
    negatives: { kind, count: Number(count), byDegree: 0, allFrom: 1 },
    batch,
    regularisers,
    projection,
  };
  const model = { ...config.model, entities: graph.entityCount, relations: graph.relationCount };
  const layout = createBatchLayout(Object.entries(batch).map(([structure, n]) => ({ structure, count: n })));
  const step = stepProgram(model, config, layout);
  const asked = queries.filter(({ structure }) => Object.hasOwn(batch, structure));
  const source = createBatchSource(model, config, step, { graph, queries: asked });
  const outer = createBatchSource(model, { ...config, projection: 'outer' }, step, { graph, queries: asked });
  const feeds = Array.from({ length: batches }, (_, at) => ({ ...source.feeds(at), ...outer.feeds(at) }));
  const state = initialState(model, config);

  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-peer-'));
  const ours = await ortCpuRuntime({ threads: Number(flags.threads) }).open(step, state);
  try {
    await writeTask(folder, { model, config, step, feeds, state });
    const peer = await startPeer(folder);
    let at = 0;
    const run = async (steps) => {
      const [ms, before] = [[], process.cpuUsage()];
      let loss = 0;
      for (let i = 0; i < steps; i += 1) {
        const start = performance.now();
        loss = await ours.step(feedsOf(step, feeds[at % batches]));
        ms.push(performance.now() - start);
        at += 1;
      }
      const { user, system } = process.cpuUsage(before);
      return { ms, cpu: (user + system) / 1000 / steps, loss };
    };
    const each = () => Object.fromEntries(forms.map((form) => [form, []]));
    const [times, processor] = [
      { ours: [], ...each() },
      { ours: [], ...each() },
    ];
    const [ratios, processorRatios, losses] = [each(), each(), {}];
    for (let round = 0; round <= Number(flags.rounds); round += 1) {
      const own = await run(Number(flags.steps));
      for (const form of forms) {
        const theirs = await peer.run(form, Number(flags.steps));
        if (round === 0) losses[form] = Math.abs(theirs.loss - own.loss) / Math.abs(own.loss);
        else {
          times[form].push(...theirs.ms);
          processor[form].push(theirs.cpu);
          ratios[form].push(median(theirs.ms) / median(own.ms));
          processorRatios[form].push(theirs.cpu / own.cpu);
        }
      }
      if (round === 0) continue;
      times.ours.push(...own.ms);
      processor.ours.push(own.cpu);
    }
    peer.close();
    const told = (form) =>
      `${form} ${median(times[form]).toFixed(1)} ms (processor ${median(processor[form]).toFixed(1)}, least ${Math.min(...processor[form]).toFixed(1)})`;
    return [
      `${name}, ${flags.width} numbers for each entity, ${Object.entries(batch).map((each) => each.join('='))}, negatives ${flags.negatives}, ` +
        `${flags.threads} threads, torch ${peer.version}: ${told('ours')}`,
      ...forms.map(
        (form) =>
          `${told(form)} = ${median(ratios[form]).toFixed(2)} × ours (blocks ${Math.min(...ratios[form]).toFixed(2)} to ` +
          `${Math.max(...ratios[form]).toFixed(2)}), processor ${median(processorRatios[form]).toFixed(2)} ×; ` +
          `loss after ${flags.steps} steps differs by ${losses[form].toExponential(1)}`,
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
  const learned = learnedNames(config);
  for (const { attributes, shape } of step.program.parameters)
    if (learned.includes(attributes.name)) await write(attributes.name, shape, state[attributes.name]);
  for (const [at, batch] of feeds.entries())
    for (const [name, { shape, data }] of Object.entries(batch)) await write(`${at}.${name}`, shape, data);
  const { groups, levels } = step.layout;
  const header = {
    ...{ tensors, learned, batches, feeds: Object.keys(feeds[0]), family: config.model.relationForm },
    ...{
      entities: model.entities,
      bases: model.bases,
      margin: config.loss.margin,
      n3: config.regularisers.n3?.weight ?? 0,
      negatives: step.negatives,
    },
    ...{ learningRate: config.optimiser.learningRate, kind: config.negatives.kind, levels },
    groups: groups.map(({ structure, count: n }) => ({ count: n, ...structures[structure] })),
  };
  await writeFile(join(folder, 'header.json'), JSON.stringify(header));
}

async function startPeer(folder) {
  const script = new URL('train_step.py', import.meta.url).pathname;
  const child = spawn(flags.python, [script, folder, flags.threads], {
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
