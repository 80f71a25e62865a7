// How far conjunctions could come with these links: 2i and 3i answered by the links' probabilities, with the known facts exact.
//
//   npm run build && node bench/recall.mjs RUN --data data/fb15k-237 [--limit 400]
//
// Three ways to rank the entities of a conjunction, all by the same trained links:
//   vectors           FuzzQE: the product of the fuzzy vectors, and one inner product
//   probabilities     the product of the links' probabilities, softmax over entities
//   exact recall      the same, each probability times the number of known answers, at most 0.999, and 1 for known facts
// and, for comparison, 1p queries drawn by the same walk as the conjunctions, beside all there are.
// For models of product logic with L2-normalised entities, as in the presets.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { entityEmbedding, outerProjection, scoredEntity, trainedParameters } from '@fuzzqe/core/model';
import { filteredRanks } from '@fuzzqe/core/ranking';
import { createProgram, evaluate, gather, input, numeric } from '@fuzzqe/core/tensor';
import { queryRow, readDataset, readQueries, sampleQueries } from '@fuzzqe/data';
import { readRunState, readSafetensors } from '@fuzzqe/train';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, limit: { type: 'string', default: '400' } },
});
const [run] = positionals;
const state = await readRunState(run);
const { entities: count, dimension: d } = state.model;
// The best parameters and the temperature of the last step: the presets' best step is their last.
const tensors = (await readSafetensors(join(run, state.last.file))).tensors;
const temperature = Math.exp(tensors.logTemperature.data[0]);

const learned = trainedParameters(state.model);
const anchorIds = input('anchors', 'int', ['links']);
const relationIds = input('relations', 'int', ['links']);
const table = entityEmbedding(state.model, learned.entities);
const program = createProgram({
  name: 'links',
  description: 'The entities, and the fuzzy vectors of links.',
  inputs: [anchorIds, relationIds],
  outputs: {
    vectors: outerProjection(
      state.model,
      { ...learned, coefficients: gather(learned.coefficients, relationIds) },
      gather(table, anchorIds),
    ),
    entities: scoredEntity(state.model, table),
  },
});
const rowsOf = ({ data: all }) =>
  Array.from({ length: all.length / d }, (_, row) => Float64Array.from(all.subarray(row * d, (row + 1) * d)));

/** The fuzzy vectors of links, each an anchor and a relation, and those of all entities. */
function embed(links) {
  const ids = (at) =>
    numeric(
      [links.length],
      Int32Array.from(links, (each) => each[at]),
    );
  const values = { anchors: ids(0), relations: ids(1) };
  for (const { attributes, shape } of program.parameters)
    values[attributes.name] = numeric(shape, tensors[attributes.name].data);
  const { vectors, entities } = evaluate(program, values);
  return { vectors: rowsOf(vectors), entities: rowsOf(entities) };
}
const rows = embed([[0, 0]]).entities;

const unit = (x) => {
  const norm = Math.sqrt(x.reduce((total, value) => total + value * value, 1e-12));
  return x.map((value) => value / norm);
};
function scores(vector) {
  const result = new Float64Array(count);
  for (let e = 0; e < count; e += 1) {
    const row = rows[e];
    let total = 0;
    for (let i = 0; i < d; i += 1) total += row[i] * vector[i];
    result[e] = total;
  }
  return result;
}
function logProbabilities(vector) {
  const z = scores(unit(vector)).map((score) => temperature * score);
  const top = z.reduce((a, b) => Math.max(a, b));
  const mass = Math.log(z.reduce((total, value) => total + Math.exp(value - top), 0)) + top;
  return z.map((value) => value - mass);
}

/** The query's mean filtered reciprocal rank. */
function reciprocalRank(score, easy, hard) {
  const ranks = filteredRanks(score, hard, easy);
  return ranks.reduce((total, rank) => total + 1 / rank, 0) / ranks.length;
}

const dataset = await readDataset(values.data);
const { train, trainValid } = dataset.graphs();
const limit = Number(values.limit);
const product = (vectors) => vectors.reduce((a, b) => a.map((value, i) => value * b[i]));
const added = (vectors) => vectors.reduce((a, b) => a.map((value, i) => value + b[i]));

function report(name, queries, ways) {
  const taken = Array.from({ length: Math.min(limit, queries.count) }, (_, row) => queryRow(queries, row));
  const linksOf = ({ anchors, relations }) => Array.from(anchors, (anchor, i) => [anchor, relations[i]]);
  const { vectors } = embed(taken.flatMap(linksOf));
  const totals = new Map();
  let at = 0;
  for (const query of taken) {
    const links = linksOf(query);
    const own = vectors.slice(at, at + links.length);
    at += links.length;
    for (const [way, score] of Object.entries(ways(links, own)))
      totals.set(way, (totals.get(way) ?? 0) + reciprocalRank(score(), query.easy, query.hard));
  }
  const cells = [...totals].map(([way, total]) => `${way} ${((100 * total) / taken.length).toFixed(1)}`);
  console.log(`${name} (${taken.length} queries): ${cells.join(', ')}`);
}

const conjunction = (links, vectors) => ({
  vectors: () => scores(product(vectors)),
  probabilities: () => added(vectors.map(logProbabilities)),
  'exact recall': () =>
    added(
      vectors.map((vector, i) => {
        const known = train.tails(...links[i]);
        const log = logProbabilities(vector).map((value) =>
          Math.min(value + Math.log(Math.max(1, known.length)), Math.log(0.999)),
        );
        for (const id of known) log[id] = 0;
        return log;
      }),
    ),
});
const single = (_, [vector]) => ({ vectors: () => scores(vector) });

const valid = await readQueries(`${values.data}/queries/valid.jsonl`, { bounds: train, smaller: train });
const of = (name) => valid.find(({ structure }) => structure.name === name || structure === name);
report('1p, every one', of('1p'), single);
const walked = await sampleQueries({
  structure: '1p',
  count: limit,
  smaller: train,
  larger: trainValid,
  random: createRandom('recall'),
});
report('1p, drawn by the walk', walked, single);
for (const name of ['2i', '3i']) report(name, of(name), conjunction);
