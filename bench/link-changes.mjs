// Training of links with one change at a time: what each gives by fuzzy sets and by the embedding, on validation queries.
//
//   npm run build && node bench/link-changes.mjs FOLDER --data DATA --form blocks [--seeds 1,2] [--each 120] [--fit 24] [--only "twice the rate;constant rate"]
//
// link-changes.json has the base of each form and what is changed. Of each structure one part of the validation queries chooses the
// calibration (`--fit`), another judges (`--each`). The base's first seed is calibrated whole; all other runs go on from there in temperature
// and weight, the two numbers that belong to the size of a model's scores. Each result is a line of FOLDER/DATA-SET-FORM.jsonl; what is
// there is not trained again. At the end a table of means over the seeds, with their difference from the base's.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createQueriesBuilder, queryRow, readDataset, readQueries, someQueries } from '@fuzzqe/data';
import {
  createScorer,
  evaluateRanking,
  fitCalibration,
  openSetsScorer,
  ortCpuRuntime,
  parseTrainingConfig,
  presets,
  train,
} from '@fuzzqe/train';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    form: { type: 'string', default: 'blocks' },
    seeds: { type: 'string', default: '1,2' },
    each: { type: 'string', default: '120' },
    fit: { type: 'string', default: '24' },
    only: { type: 'string' },
  },
});
const [folder] = positionals;
const { base, averaged, changes } = JSON.parse(
  readFileSync(new URL('link-changes.json', import.meta.url), 'utf8'),
)[values.form];
const seeds = values.seeds.split(',').map(Number);
const only = values.only?.split(';');

const dataset = await readDataset(values.data);
const graph = dataset.graphs().train;
const { entityCount, relationCount } = graph;
const { fitted, judged } = await validationParts(Number(values.fit), Number(values.each));

mkdirSync(folder, { recursive: true });
const file = join(folder, `${dataset.name}-${values.form}.jsonl`);
const results = existsSync(file)
  ? readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];
for (const [name, training] of [['base', {}], ...Object.entries(changes)]) {
  if (only !== undefined && name !== 'base' && !only.includes(name)) continue;
  for (const seed of seeds) {
    if (results.some((each) => each.name === name && each.seed === seed)) continue;
    const config = {
      ...parseTrainingConfig(training, parseTrainingConfig(base.training, presets[base.extends].training)),
      seed,
    };
    const model = { ...config.model, entities: entityCount, relations: relationCount };
    const began = process.cpuUsage();
    const { last, averages } = await trained(model, config, name === 'base' ? averaged : {});
    const { user, system } = process.cpuUsage(began);
    for (const [of, parameters] of [[name, last], ...averages]) {
      const start = results.find((each) => each.name === 'base')?.calibration;
      const figures = await figuresOf(model, parameters, start);
      const result = { name: of, seed, seconds: (user + system) / 1e6, ...figures };
      results.push(result);
      appendFileSync(file, `${JSON.stringify(result)}\n`);
    }
  }
}
printTable();

/** Of each structure the queries that calibrate and, apart from them, those that judge, both spread over the file. */
async function validationParts(fit, each) {
  const all = await readQueries(`${values.data}/queries/valid.jsonl`, {
    bounds: { entityCount, relationCount },
    smaller: graph,
  });
  const parts = all.map((queries) => {
    const some = someQueries(queries, fit + each);
    const [fitted, judged] = [createQueriesBuilder(some.shape), createQueriesBuilder(some.shape)];
    const period = Math.round((fit + each) / fit);
    for (let row = 0; row < some.count; row += 1)
      (row % period === 0 ? fitted : judged).add(queryRow(some, row));
    return { fitted: fitted.build(), judged: judged.build() };
  });
  return { fitted: parts.map((part) => part.fitted), judged: parts.map((part) => part.judged) };
}

/** The last parameters of a run, and moving averages of those of every `validation.every` steps, by the names of their horizons. */
async function trained(model, config, horizons) {
  const { every } = config.validation;
  const averages = new Map();
  const validate = async (parameters) => {
    for (const [name, horizon] of Object.entries(horizons)) {
      const before = averages.get(name);
      const moved = Object.entries(parameters).map(([key, now]) => [
        key,
        now.map((x, i) =>
          before === undefined ? x : before[key][i] + (every / horizon) * (x - before[key][i]),
        ),
      ]);
      averages.set(name, Object.fromEntries(moved));
    }
    // What validates last is kept as the best: the last parameters, as where nothing is validated.
    return { mrr: performance.now(), structures: {} };
  };
  const runtime = ortCpuRuntime({ threads: 1 });
  const { best } = await train({ model, config, graph, queries: [], runtime, validate });
  return { last: best.parameters, averages };
}

/** MRR by sets and by the embedding, without and with negation, and of 1p by sets. */
async function figuresOf(model, parameters, start) {
  const sets = await openSetsScorer({ model, parameters, facts: graph, threads: 1 });
  const score = (calibration) => sets.score(calibration);
  const calibration =
    start === undefined
      ? (await fitCalibration({ queries: fitted, entityCount, score })).calibration
      : await climbed(start, score);
  const bySets = await evaluateRanking({ queries: judged, score: score(calibration), entityCount });
  await sets.close();
  const embedding = await createScorer(model, graph, 1);
  await embedding.load(parameters);
  const byEmbedding = await evaluateRanking({ queries: judged, score: embedding.score, entityCount });
  await embedding.close();
  const both = ({ withoutNegation, withNegation }) => [withoutNegation.mrr, withNegation.mrr];
  return {
    sets: both(bySets),
    embedding: both(byEmbedding),
    links: bySets.structures['1p'].mrr,
    calibration,
  };
}

/** The best temperature and weight around a calibration's: steps of 1.5 and 3, while the mean MRR grows by 0.0005. */
async function climbed(start, score) {
  const tried = new Map();
  const judge = async (calibration) => {
    const key = `${calibration.temperature} ${calibration.weight}`;
    if (!tried.has(key)) {
      const { structures } = await evaluateRanking({
        queries: fitted,
        score: score(calibration),
        entityCount,
      });
      const mrr = Object.values(structures).map((each) => each.mrr);
      tried.set(key, mrr.reduce((sum, x) => sum + x, 0) / fitted.length);
    }
    return tried.get(key);
  };
  const steps = [
    [1.5, 1],
    [1 / 1.5, 1],
    [1, 3],
    [1, 1 / 3],
    [1 / 1.5, 3],
    [1.5, 1 / 3],
  ];
  let [best, mrr] = [start, await judge(start)];
  for (let moved = true; moved; ) {
    moved = false;
    for (const [temperature, weight] of steps) {
      const next = {
        ...best,
        temperature: best.temperature * temperature,
        weight: best.weight * weight,
      };
      const found = await judge(next);
      if (found <= mrr + 0.0005) continue;
      [best, mrr, moved] = [next, found, true];
      break;
    }
  }
  return best;
}

/** Means over the seeds in per cent, in brackets their differences from the base's, as a table of Markdown. */
function printTable() {
  const figures = ({ sets, embedding, links }) => [...sets, ...embedding, links];
  const means = (name) => {
    const rows = results.filter((each) => each.name === name && seeds.includes(each.seed)).map(figures);
    return rows[0].map((_, i) => (100 * rows.reduce((sum, row) => sum + row[i], 0)) / rows.length);
  };
  const before = means('base');
  console.log('| change | sets, without | with | embedding, without | with | 1p by sets |');
  console.log('|---|---:|---:|---:|---:|---:|');
  for (const name of new Set(results.map((each) => each.name))) {
    const cells = means(name).map((x, i) => {
      const gain = (x - before[i]).toFixed(1);
      return name === 'base' ? x.toFixed(1) : `${x.toFixed(1)} (${gain.startsWith('-') ? '' : '+'}${gain})`;
    });
    console.log(`| ${[name, ...cells].join(' | ')} |`);
  }
}
