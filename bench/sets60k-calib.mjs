// scratch: calibrate without judging, export fp32 and int8
import { readDataset } from '@fuzzqe/data';
import { mineRules } from '@fuzzqe/evidence/mining';
import { createRandom } from '@fuzzqe/core';
import { exportBundle, randomGoldenQueries } from '@fuzzqe/export';
import { defaultProjection } from '@fuzzqe/core/sets';
import { openCheckpoint } from '../packages/pipeline/dist/evaluation/open-checkpoint.js';
import { fitLinks } from '../packages/pipeline/dist/evaluation/fit-links.js';
import { hiddenFacts, withEntailed } from '../packages/pipeline/dist/evaluation/hidden-facts.js';
import { loadBest } from '@fuzzqe/train';
import { readFile, writeFile } from 'node:fs/promises';
const T = '/tmp/sets60k';
const run = `${T}/links`;
const dataset = await readDataset(`${T}/data`);
const { train, trainValid } = dataset.graphs();
const save = `${T}/calib.json`;
const t0 = performance.now();
const say = (what) => console.log(what, ((performance.now() - t0) / 1000).toFixed(1), 's');
let saved = await readFile(save, 'utf8').then(JSON.parse, () => undefined);
if (saved === undefined) {
  const { relationCount, rules } = await mineRules(train, { random: createRandom('rules'), rounds: 4, workers: 0 });
  say('rules ' + rules.length);
  const checkpoint = await openCheckpoint(run, { trained: train, threads: 1 });
  const fit = await fitLinks({ ...hiddenFacts(train, withEntailed(trainValid, dataset.vocabulary), dataset.vocabulary), rejected: undefined, knownShare: 1, rules: { relationCount, rules }, typeRelations: [], scores: checkpoint.scores, part: 0.35 });
  await checkpoint.close();
  say('fit');
  saved = { rules: { relationCount, rules }, weights: fit.weights, fitted: fit.fitted };
  await writeFile(save, JSON.stringify(saved, (k, v) => (ArrayBuffer.isView(v) ? Array.from(v) : v)));
  console.log(JSON.stringify(fit.weights).slice(0, 600));
}
if (Array.isArray(saved.weights.relations)) saved.weights.relations = Float64Array.from(saved.weights.relations);
const { state, parameters } = await loadBest(run);
await exportBundle({ directory: `${T}/bundle`, name: 'nell', config: state.model, parameters, vocabulary: dataset.vocabulary, graph: train, data: { name: 'NELL995', licence: 'unknown' }, training: {}, metrics: {}, sets: { projection: defaultProjection, fitted: saved.fitted, weights: saved.weights, rules: saved.rules, reliability: null }, goldenQueries: randomGoldenQueries(state.model, 1, createRandom('golden')), k: 10, profiles: ['fp32', 'int8'], target: 'node', validation: [] });
say('exported');
