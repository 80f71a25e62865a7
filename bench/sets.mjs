// The two ways to answer beside each other, on the same queries: by the embedding and by fuzzy sets over entities.
//
//   npm run build && node bench/sets.mjs RUN --data DATA [--split test] [--each 200] [--threads 1] [--fit 50] [--facts train]
//     [--queries q2b] [--calibration RUN/calibration.json] [--with exclusivity=0] [--modes embedding,sets] [--model negationLambda=0]
//
// Sets know the facts that the queries' easy answers know: train for validation queries, train and validation for
// the test's; `--queries` takes a set of a name of its own in place of the split's. `--facts train` for those that the embedding knows. `--with` replaces a number of the calibration, `--model` a choice of the model. `--fit N` calibrates on N validation queries of each structure first.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { schema } from '@fuzzqe/core';
import { calibrationSchema, defaultCalibration } from '@fuzzqe/core/sets';
import { openQueries, readDataset, readQueries, someQueries } from '@fuzzqe/data';
import { createScorer, evaluateRanking, fitCalibration, loadBest, openSetsScorer } from '@fuzzqe/train';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    split: { type: 'string', default: 'test' },
    each: { type: 'string', default: '200' },
    threads: { type: 'string', default: '1' },
    fit: { type: 'string', default: '0' },
    facts: { type: 'string', default: 'easy' },
    queries: { type: 'string' },
    calibration: { type: 'string' },
    with: { type: 'string', multiple: true, default: [] },
    model: { type: 'string', multiple: true, default: [] },
    modes: { type: 'string', default: 'embedding,sets' },
  },
});
const dataset = await readDataset(values.data);
const { train, trainValid } = dataset.graphs();
const { entityCount, relationCount } = dataset.vocabulary;
const read = async (split, each) => {
  const bounds = { entityCount, relationCount };
  const queries = await readQueries(`${values.data}/queries/${split}.jsonl`, {
    bounds,
    smaller: split === 'test' ? trainValid : train,
  });
  return queries.map((part) => someQueries(part, each));
};
const { state, parameters } = await loadBest(positionals[0]);
const model = { ...state.model };
for (const change of values.model) {
  const [name, value] = change.split('=');
  model[name] = typeof model[name] === 'number' ? Number(value) : value;
}
const threads = Number(values.threads);
const open = (facts) => openSetsScorer({ model, parameters, facts, threads });

let calibration =
  values.calibration === undefined
    ? defaultCalibration
    : schema.parse(calibrationSchema, JSON.parse(await readFile(values.calibration, 'utf8')).calibration, {
        code: 'config',
        what: 'calibration',
        path: values.calibration,
      });
if (Number(values.fit) > 0) {
  const sets = await open(train);
  const fitted = await fitCalibration({
    queries: await read('valid', Number(values.fit)),
    entityCount,
    score: (each) => sets.score(each),
    onProgress: (done, total, mrr) =>
      done % 700 === 0 && console.error(`${done}/${total} ${(100 * mrr).toFixed(2)}`),
  });
  await sets.close();
  calibration = fitted.calibration;
  console.log(JSON.stringify(fitted));
}

for (const change of values.with) {
  const [name, number] = change.split('=');
  calibration = { ...calibration, [name]: Number(number) };
}

const { split, each } = values;
const queries =
  values.queries === undefined
    ? await read(split, Number(each))
    : (await openQueries(values.data, dataset, { queries: values.queries, part: split })).queries.map(
        (part) => someQueries(part, Number(each)),
      );
const chosen = values.modes.split(',');
const embedding = await createScorer(model, train, threads);
await embedding.load(parameters);
const sets = await open(values.split === 'test' && values.facts === 'easy' ? trainValid : train);
// Measured once for all queries.
if (chosen.includes('sets')) await sets.partitions(calibration.temperature);
const modes = { embedding: embedding.score, sets: sets.score(calibration) };
const percent = (x) => (100 * (x ?? Number.NaN)).toFixed(1).padStart(6);
for (const name of chosen) {
  const score = modes[name];
  const began = performance.now();
  const times = {};
  const timed = async (structure, anchors, relations, rows) => {
    const { user } = process.cpuUsage();
    const scores = await score(structure, anchors, relations, rows);
    const before = times[structure.name] ?? { milliseconds: 0, queries: 0 };
    const milliseconds = before.milliseconds + (process.cpuUsage().user - user) / 1000;
    times[structure.name] = { milliseconds, queries: before.queries + rows };
    return scores;
  };
  const report = await evaluateRanking({ queries, score: timed, entityCount });
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `${name}: without ${percent(report.withoutNegation?.mrr)}  with ${percent(report.withNegation?.mrr)}  H@3 ${percent(report.withoutNegation?.hits3)}  (${seconds.toFixed(0)} s)`,
  );
  for (const [figure, key] of [
    ['MRR', 'mrr'],
    ['H@3', 'hits3'],
  ])
    console.log(
      `${figure}: ${Object.entries(report.structures)
        .map(([name, figures]) => `${name} ${percent(figures[key])}`)
        .join('  ')}`,
    );
  // Processor time: on a machine that does other things, time on the clock says little.
  console.log(
    `ms a query: ${Object.entries(times)
      .map(([each, { milliseconds, queries: count }]) => `${each} ${(milliseconds / count).toFixed(2)}`)
      .join('  ')}`,
  );
}
await embedding.close();
await sets.close();
