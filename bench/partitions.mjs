// How far log-partitions of many entities are from sums over all of them in float64, and an estimate from 2¹⁶ drawn entities with them.
//
//   npm run build && node bench/partitions.mjs RUN --data DATA [--relations 8]
//   npm run build && node bench/partitions.mjs --entities 1048576 [--dimension 64] [--spread 2] [--relations 8]
//
// The first takes a trained run and some of its relations, evenly spread; the second a random model, whose entities' free numbers are
// normal with the standard deviation `--spread`, and random facts. Prints, for each temperature, the largest error of a relation, how
// ln Σ exp(τ cos) spreads over the heads of a relation, and the processor time of each way. Entities are counted however few they are, where `fuzzqe calibrate` sums up to 65 536 plainly.
import { parseArgs } from 'node:util';
import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import {
  entityEmbedding,
  initialiseParameters,
  outerProjection,
  parameterShapes,
  trainedParameters,
} from '@fuzzqe/core/model';
import { entityDirections, headsOfRelations } from '@fuzzqe/core/sets';
import { createProgram, evaluate, gather, input, numeric } from '@fuzzqe/core/tensor';
import { readDataset } from '@fuzzqe/data';
import { loadBest, openSetsScorer, presets } from '@fuzzqe/train';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    entities: { type: 'string', default: String(2 ** 20) },
    dimension: { type: 'string', default: '64' },
    spread: { type: 'string', default: '2' },
    relations: { type: 'string', default: '8' },
  },
});
const temperatures = [12, 20, 45, 70, 100, 150];
const drawnEntities = 2 ** 16;
const processor = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const { model, parameters, facts } = positionals.length > 0 ? await trained(positionals[0]) : random();
const { entities: entityCount, dimension: d } = model;
const wanted = Math.min(Number(values.relations), model.relations);
const chosen = Array.from({ length: wanted }, (_, i) => Math.floor((i * model.relations) / wanted)).filter(
  (relation) => headsOfRelations(facts)[relation].length > 0,
);

let start = processor();
const sets = await openSetsScorer({ model, parameters, facts, threads: 1, temperatures, manyEntities: 0 });
const opened = processor() - start;
start = processor();
const measured = [];
for (const temperature of temperatures) measured.push(await sets.partitions(temperature));
const counted = processor() - start;
await sets.close();

start = processor();
const directions = tableOfDirections();
const sums = new Map(chosen.map((relation) => [relation, sumsOf(relation)]));
const exact = processor() - start;
const mean = (list) => list.reduce((total, x) => total + x, 0) / list.length;
const deviation = (list) => Math.sqrt(mean(list.map((x) => (x - mean(list)) ** 2)));

const links = headsOfRelations(facts).reduce((total, { length }) => total + length, 0);
console.log(`${entityCount} entities, d = ${d}, ${chosen.length} of ${model.relations} relations compared`);
console.log(
  `counts of ${links} links, all temperatures: ${counted.toFixed(1)} s CPU (model opened in ${opened.toFixed(1)} s); float64 sums of the compared: ${exact.toFixed(1)} s\n`,
);
console.log(
  '| temperature | counts: largest error | drawn entities: largest error | standard deviation over heads: mean, largest |',
);
console.log('|---:|---:|---:|---:|');
temperatures.forEach((temperature, at) => {
  const errors = { counts: 0, drawn: 0 };
  const spreads = [];
  for (const [relation, heads] of sums) {
    const all = heads.map(({ whole }) => whole[at]);
    spreads.push(deviation(all));
    errors.counts = Math.max(errors.counts, Math.abs(measured[at][relation] - mean(all)));
    errors.drawn = Math.max(errors.drawn, Math.abs(mean(heads.map(({ drawn }) => drawn[at])) - mean(all)));
  }
  console.log(
    `| ${temperature} | ${errors.counts.toExponential(1)} | ${errors.drawn.toPrecision(2)} | ${mean(spreads).toFixed(3)}, ${Math.max(...spreads).toFixed(3)} |`,
  );
});

async function trained(run) {
  const dataset = await readDataset(values.data);
  const { state, parameters: best } = await loadBest(run);
  return { model: state.model, parameters: best, facts: dataset.graphs().train };
}

function random() {
  const [entities, relations] = [Number(values.entities), 2 * Math.ceil(Number(values.relations) / 2)];
  const made = {
    ...presets.countries.training.model,
    ...{ entities, relations, dimension: Number(values.dimension), bases: 4 },
  };
  const source = createRandom('log-partitions');
  const free = initialiseParameters(made, source, 'paper');
  for (let i = 0; i < free.entities.length; i += 1)
    free.entities[i] = Number(values.spread) * source.normal();
  const triples = Int32Array.from({ length: 3 * 100 * relations }, (_, i) =>
    i % 3 === 1 ? 2 * source.below(relations / 2) : source.below(entities),
  );
  const graph = createKnowledgeGraph({ entityCount: entities, relationCount: relations, triples });
  return { model: made, parameters: free, facts: graph };
}

/** Directions of all entities, computed in float64 and kept in float32 [|E|, d]. */
function tableOfDirections() {
  const rows = input('rows', 'float', ['n', d]);
  const program = createProgram({
    name: 'directions',
    inputs: [rows],
    outputs: { directions: entityDirections(model, entityEmbedding(model, rows)) },
  });
  const table = new Float32Array(entityCount * d);
  const atOnce = 2 ** 14;
  for (let from = 0; from < entityCount; from += atOnce) {
    const part = parameters.entities.subarray(from * d, (from + atOnce) * d);
    table.set(evaluate(program, { rows: numeric([part.length / d, d], part) }).directions.data, from * d);
  }
  return table;
}

/** ln Σ exp(τ cos) of each head at each temperature: over all entities, and estimated from drawn ones. */
function sumsOf(relation) {
  const heads = headsOfRelations(facts)[relation];
  const learned = trainedParameters(model);
  const [ids, along] = [input('heads', 'int', ['n']), input('along', 'int', ['n'])];
  const vectors = outerProjection(
    model,
    { ...learned, coefficients: gather(learned.coefficients, along) },
    entityEmbedding(model, gather(learned.entities, ids)),
  );
  const program = createProgram({ name: 'links', inputs: [ids, along], outputs: { vectors } });
  const shapes = parameterShapes(model);
  const found = evaluate(program, {
    ...Object.fromEntries(
      program.parameters.map(({ attributes: { name } }) => [name, numeric(shapes[name], parameters[name])]),
    ),
    heads: numeric([heads.length], heads),
    along: numeric([heads.length], new Int32Array(heads.length).fill(relation)),
  }).vectors.data;
  const isDrawn = drawn();
  return Array.from(heads, (head, row) => {
    const link = found.subarray(row * d, (row + 1) * d);
    const length = Math.hypot(...link);
    const recorded = new Set(facts.tails(head, relation));
    const whole = new Float64Array(temperatures.length);
    const some = new Float64Array(temperatures.length);
    let drawnHere = 0;
    for (let id = 0; id < entityCount; id += 1) {
      if (recorded.has(id)) continue;
      let product = 0;
      for (let i = 0; i < d; i += 1) product += link[i] * directions[id * d + i];
      drawnHere += isDrawn[id];
      for (let at = 0; at < temperatures.length; at += 1) {
        const share = Math.exp((temperatures[at] * product) / length);
        whole[at] += share;
        some[at] += isDrawn[id] * share;
      }
    }
    const factor = (entityCount - recorded.size) / drawnHere;
    return { whole: whole.map(Math.log), drawn: some.map((sum) => Math.log(sum * factor)) };
  });
}

/** 1 for entities that are drawn, else 0. */
function drawn() {
  const source = createRandom('drawn entities');
  const marks = new Uint8Array(entityCount);
  for (let count = 0; count < Math.min(drawnEntities, entityCount); ) {
    const id = source.below(entityCount);
    count += 1 - marks[id];
    marks[id] = 1;
  }
  return marks;
}
