// How far conjunctions could come with these links: 2i and 3i answered by the links' probabilities, with the known facts exact.
//
//   npm run build && node bench/recall.mjs RUN --data data/fb15k-237 [--limit 400]
//
// Four ways to rank the entities of a conjunction, all by the same trained links:
//   vectors           FuzzQE: the product of the fuzzy vectors, and one inner product
//   probabilities     the product of the links' probabilities, softmax over entities
//   exact recall      the same, each probability times the number of known answers, at most 0.999, and 1 for known facts
// and, for comparison, 1p queries drawn by the same walk as the conjunctions, beside all there are.
// Product logic, logistic maps, L2-normalised entities and inputs, as in the presets; formulas: docs/model.md.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { decodeSafetensors, readDataset, readQueries, readRunState, sampleQueries } from '@fuzzqe/train';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, limit: { type: 'string', default: '400' } },
});
const [run] = positionals;
const state = await readRunState(run);
const { entities: count, dimension: d, bases: k } = state.model;
// The best parameters and the temperature of the last step: the presets' best step is their last.
const tensors = decodeSafetensors(await readFile(join(run, state.last.file)), state.last.file).tensors;
const data = (name) => tensors[name].data;
const temperature = Math.exp(data('logTemperature')[0]);

const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const unit = (x) => {
  const norm = Math.sqrt(x.reduce((total, value) => total + value * value, 1e-12));
  return x.map((value) => value / norm);
};
const rows = Array.from({ length: count }, (_, e) =>
  unit(Float64Array.from(data('entities').subarray(e * d, (e + 1) * d), (x) => sigmoid(8 * x - 4))),
);

const weights = new Map();
function weightsOf(relation) {
  const known = weights.get(relation);
  if (known !== undefined) return known;
  const [matrix, bias] = [new Float64Array(d * d), new Float64Array(d)];
  for (let j = 0; j < k; j += 1) {
    const alpha = data('coefficients')[relation * k + j];
    for (let i = 0; i < d * d; i += 1) matrix[i] += alpha * data('bases')[j * d * d + i];
    for (let i = 0; i < d; i += 1) bias[i] += alpha * data('biasBases')[j * d + i];
  }
  weights.set(relation, { matrix, bias });
  return { matrix, bias };
}

/** The fuzzy vector of a link: (4) on an entity. */
function link(anchor, relation) {
  const { matrix, bias } = weightsOf(relation);
  const y = Float64Array.from(bias);
  for (let i = 0; i < d; i += 1)
    for (let column = 0; column < d; column += 1) y[column] += rows[anchor][i] * matrix[i * d + column];
  const mean = y.reduce((a, b) => a + b) / d;
  const variance = y.reduce((total, value) => total + (value - mean) ** 2, 0) / d;
  return y.map((value) => sigmoid((value - mean) / Math.sqrt(variance + 1e-5)));
}
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

/** The query's mean filtered reciprocal rank; entities of equal score share the mean of their ranks. */
function reciprocalRank(score, easy, hard) {
  const answers = new Set([...easy, ...hard]);
  const ranks = Array.from(hard, (id) => {
    let [above, equal] = [0, 0];
    for (let e = 0; e < count; e += 1) {
      if (score[e] < score[id] || answers.has(e)) continue;
      if (score[e] > score[id]) above += 1;
      else equal += 1;
    }
    return 1 / (1 + above + equal / 2);
  });
  return ranks.reduce((a, b) => a + b) / ranks.length;
}

const dataset = await readDataset(values.data);
const { train, trainValid } = dataset.graphs();
const limit = Number(values.limit);
const product = (vectors) => vectors.reduce((a, b) => a.map((value, i) => value * b[i]));
const added = (vectors) => vectors.reduce((a, b) => a.map((value, i) => value + b[i]));

function report(name, queries, ways) {
  const taken = Math.min(limit, queries.count);
  const totals = new Map();
  for (let row = 0; row < taken; row += 1) {
    const cut = ({ offsets, ids }) => ids.subarray(offsets[row], offsets[row + 1]);
    const { anchors, relations } = queries;
    const width = anchors.length / queries.count;
    const links = Array.from({ length: width }, (_, i) => [
      anchors[row * width + i],
      relations[row * width + i],
    ]);
    const vectors = links.map(([anchor, relation]) => link(anchor, relation));
    for (const [way, score] of Object.entries(ways(links, vectors)))
      totals.set(way, (totals.get(way) ?? 0) + reciprocalRank(score(), cut(queries.easy), cut(queries.hard)));
  }
  const cells = [...totals].map(([way, total]) => `${way} ${((100 * total) / taken).toFixed(1)}`);
  console.log(`${name} (${taken} queries): ${cells.join(', ')}`);
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
