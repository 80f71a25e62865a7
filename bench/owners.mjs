// What an owner gets from a graph of their own: accuracy by relation, and whether degrees are probabilities.
//
//   npm run build && node bench/owners.mjs [family museum films | data/codex-s …] [--minutes 5] [--each 60] [--seed 1] [--out runs/owners]
//
// Each graph is imported, trained with the default preset, calibrated and evaluated on its test facts. What is trained in `--out` is kept;
// calibration and evaluation are repeated. Prints a table for each graph and writes OUT/<graph>.json.
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { enumerateProjections, importPath, readDataset, sampleQuerySets } from '@fuzzqe/data';
import { entailedGraph } from '@fuzzqe/evidence';
import { pathExists } from '@fuzzqe/files';
import {
  calibrateRun,
  compareModels,
  createRulesBaseline,
  openRun,
  openRunAsSets,
  recordedShareOf,
} from '@fuzzqe/pipeline';
import { defaultTraining, fitBatch, openDevice, runTraining } from '@fuzzqe/train';
import { closedDataset } from './owners/closed-dataset.mjs';
import { owners, ownersText } from './owners/index.mjs';
import { aheadOfLinks, answersSaid, countSubjects, tenthsOff } from './owners/measures.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '5' },
    each: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string', default: 'runs/owners' },
    threads: { type: 'string', default: '1' },
    rules: { type: 'boolean', default: false },
    date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    machine: { type: 'string', default: `${cpus().length} cores of ${cpus()[0].model}` },
  },
});
const seed = Number(values.seed);
const threads = Number(values.threads);
const graphs = positionals.length > 0 ? positionals : Object.keys(owners);
const percent = (share) => (100 * share).toFixed(1);

for (const graph of graphs) {
  const name = basename(graph);
  const folder = join(values.out, `${name}-${seed}`);
  await mkdir(folder, { recursive: true });
  const figures = await measure(graph, name, folder);
  await writeFile(join(folder, 'figures.json'), `${JSON.stringify(figures, undefined, 2)}\n`);
  print(figures);
}

async function datasetOf(graph, name, folder) {
  if (owners[graph] === undefined) return readDataset(graph);
  const path = join(folder, owners[graph].file);
  await writeFile(path, ownersText(graph, seed));
  return (await importPath(path, { name, seed })).dataset;
}

async function measure(graph, name, folder) {
  const dataset = await datasetOf(graph, name, folder);
  const run = join(folder, 'run');
  const { train, trainValid, full } = dataset.graphs();
  const closed = closedDataset(dataset);
  const queries = await sampleQuerySets(closed, {
    sizes: { train: 0, trainNegation: 0, valid: Number(values.each), test: Number(values.each) },
    workers: 0,
    random: createRandom('queries', seed),
  });
  if (!(await pathExists(join(run, 'state.json'))))
    await runTraining({
      directory: run,
      ...{ dataset, queries, threads },
      runtime: openDevice('cpu', { threads }),
      config: fitBatch({ ...defaultTraining(train.entityCount), seed }, queries.train).config,
      minutes: Number(values.minutes),
      resume: false,
      onStep() {},
      onValidation: ({ step, mrr }) => console.error(`${name}: step ${step}, MRR ${percent(mrr ?? 0)}`),
    });
  const { calibration } = await calibrateRun({ run, dataset, threads, renewRules: values.rules });
  // Every test fact is asked for in both directions, so that each relation has all its facts.
  const links = enumerateProjections({ smaller: closed.graphs().trainValid, larger: closed.graphs().full });
  const test = [links, ...queries.test.filter(({ structure }) => structure !== '1p')];
  const subjects = {};
  const counting = (mode, open) => async () => {
    const model = await open();
    subjects[mode] = countSubjects(full, closed.graphs().trainValid);
    return { ...model, score: subjects[mode].watch(model.score) };
  };
  const opening = { trained: train, threads };
  const facts = { facts: trainValid, entailed: entailedGraph(trainValid, dataset.vocabulary) };
  const ways = {
    embedding: () => openRun(run, opening),
    rules: async () => ({ ...createRulesBaseline(trainValid, calibration.rules), close: async () => {} }),
    sets: () => openRunAsSets(run, { ...opening, ...facts, recordedShare: recordedShareOf(dataset) }),
  };
  const { columns } = await compareModels({
    ...{ dataset: closed, split: 'test', queries: test, byRelation: true, baselines: false },
    models: Object.entries(ways).map(([mode, open]) => ({ name: mode, mode, open: counting(mode, open) })),
  });
  const by = Object.fromEntries(columns.map((column) => [column.name, column]));
  const relations = by.sets.links.relations
    .map(({ relation, answers, queries: asked, mrr }) => {
      const of = (mode) => by[mode].links.relations.find((each) => each.relation === relation).mrr;
      const ofRules = of('rules');
      const { key } = dataset.vocabulary.relation(relation);
      return {
        relation: key,
        queries: asked,
        facts: answers,
        embedding: of('embedding'),
        rules: ofRules,
        links: mrr,
      };
    })
    .sort((a, b) => (a.relation < b.relation ? -1 : 1));
  const reliability = calibration.reliability;
  return {
    dataset: name,
    ...{ entities: train.entityCount, relations: train.relationCount / 2, facts: full.edgeCount / 2 },
    queries: `own test queries: ${values.each} of each structure, 1p of every test fact in both directions`,
    n: test.reduce((sum, { count }) => sum + count, 0),
    ...{ seeds: [seed], mean: 'of queries, then of structures' },
    mrr: Object.fromEntries(columns.map(({ name: mode, metrics }) => [mode, meansOf(metrics)])),
    byRelation: relations,
    rulesAhead: aheadOfLinks(relations),
    subjectFirst: Object.fromEntries(Object.entries(subjects).map(([mode, { counts }]) => [mode, counts])),
    links: { ...reliability?.links, off: reliability === null ? [] : tenthsOff(reliability.links) },
    answers:
      reliability?.answers === null ? null : { ...reliability?.answers, ...answersSaid(reliability.answers) },
    minutes: Number(values.minutes),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    command: `node bench/owners.mjs ${graph} --minutes ${values.minutes} --each ${values.each} --seed ${seed}`,
    ...{ machine: values.machine, date: values.date },
  };
}

function meansOf(metrics) {
  const { withoutNegation, withNegation } = metrics;
  return { withoutNegation: withoutNegation?.mrr ?? null, withNegation: withNegation?.mrr ?? null };
}

function print(figures) {
  const { mrr, links, answers } = figures;
  console.log(
    `\n${figures.dataset}: ${figures.entities} entities, ${figures.facts} facts, ${figures.n} queries`,
  );
  for (const [mode, { withoutNegation, withNegation }] of Object.entries(mrr))
    console.log(`  MRR ${mode.padEnd(10)} ${percent(withoutNegation)} / ${percent(withNegation)}`);
  console.log(`  ${'relation'.padEnd(40)} facts  embedding  rules  links`);
  for (const each of figures.byRelation) {
    const cells = [each.embedding, each.rules, each.links].map((value) => percent(value).padStart(7));
    console.log(`  ${each.relation.padEnd(40)} ${`${each.facts}`.padStart(5)} ${cells.join(' ')}`);
  }
  const ahead = figures.rulesAhead.map(({ relation, by }) => `${relation} by ${percent(by)}`);
  console.log(`  rules ahead by more than 2 points: ${ahead.join(', ') || 'none'}`);
  console.log(`  subject first: ${JSON.stringify(figures.subjectFirst)}`);
  console.log(
    `  links: ECE ${links.ece?.toFixed(4)} of ${links.count}, tenths off: ${JSON.stringify(links.off)}`,
  );
  if (answers !== null)
    console.log(
      `  answers: ECE ${answers.ece.toFixed(4)} of ${answers.count}; of degree 0.5 or more ${answers.said}, right ${percent(answers.right)} %`,
    );
}
