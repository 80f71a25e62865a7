// FuzzQE in the table of rivals: the figures of a run and the time of each query alone, as `python -m rivals.evaluate` reports them.
//
//   npm run build && node bench/peers/fuzzqe.mjs RUN --data DATA --mode sets|embedding --out FILE.json [--split test] [--name NAME]
//     [--facts train] [--minutes M] [--scores FILE.json]
//
// Sets know the facts that the queries' easy answers know, or with `--facts train` those alone; they are calibrated as
// `fuzzqe calibrate` left the run. `--scores` writes the scores of the first 20 queries of each structure with the metrics of
// `evaluateRanking`, for `python -m rivals.check`. Times are of the processor.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { structureNames } from '@fuzzqe/core/query';
import { readDataset, readQueries, someQueries } from '@fuzzqe/data';
import { structuresOf } from '@fuzzqe/model';
import { openRun, openRunAsSets } from '@fuzzqe/pipeline';
import { evaluateRanking, loadBest } from '@fuzzqe/train';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    mode: { type: 'string', default: 'sets' },
    split: { type: 'string', default: 'test' },
    facts: { type: 'string', default: 'easy' },
    name: { type: 'string' },
    minutes: { type: 'string' },
    out: { type: 'string' },
    scores: { type: 'string' },
  },
});
const [run] = positionals;
const dataset = await readDataset(values.data);
const { train, trainValid } = dataset.graphs();
const { entityCount, relationCount } = dataset.vocabulary;
const file = `${values.data}/queries/${values.split}.jsonl`;
const smaller = values.split === 'test' ? trainValid : train;
const { parameters, state } = await loadBest(run);
const embedded = values.mode === 'sets' ? structureNames : structuresOf(state.model);
const given = await readQueries(file, { bounds: { entityCount, relationCount }, smaller });
const queries = given.filter(({ structure }) => embedded.includes(structure));
const recorded = values.facts === 'train' ? train : smaller;
const open =
  values.mode === 'sets'
    ? openRunAsSets(run, { facts: recorded, trained: train, threads: 1 })
    : openRun(run, { trained: train, threads: 1 });
const { score, close } = await open;

const times = new Map(queries.map(({ structure }) => [structure, []]));
const timed = async (shape, anchors, relations, rows) => {
  const before = process.cpuUsage();
  const scores = await score(shape, anchors, relations, rows);
  const { user, system } = process.cpuUsage(before);
  times.get(shape.name).push((user + system) / 1000);
  return scores;
};
for (const part of queries) await evaluateRanking({ queries: [someQueries(part, 2)], score, entityCount });
const { structures } = await evaluateRanking({ queries, score: timed, entityCount, batchSize: 1 });

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const figures = Object.entries(structures).map(([name, { queries: count, mrr, hits1, hits3, hits10 }]) => [
  name,
  { queries: count, mrr, hits1, hits3, hits10, milliseconds: median(times.get(name)) },
]);
const report = {
  name: values.name ?? `FuzzQE, ${values.mode}`,
  data: basename(values.data),
  split: values.split,
  queries: await digests(file),
  ...(values.minutes === undefined ? {} : { minutes: Number(values.minutes) }),
  parameters: Object.values(parameters).reduce((sum, { length }) => sum + length, 0),
  device: 'cpu, 1 thread(s)',
  facts: values.mode === 'sets' ? values.facts : 'train',
  structures: Object.fromEntries(figures),
};
if (values.out) await writeFile(values.out, `${JSON.stringify(report, null, 1)}\n`);
for (const [name, { mrr, milliseconds }] of figures)
  console.log(`${name.padEnd(4)} MRR ${(100 * mrr).toFixed(1).padStart(5)}  ${milliseconds.toFixed(2)} ms`);
if (values.scores) await writeScores(values.scores);
await close();

/** A name for the queries of each structure: SHA-256 of the lines [query, hard answers]. */
async function digests(path) {
  const hashes = new Map();
  for (const line of (await readFile(path, 'utf8')).trim().split('\n')) {
    const { type, query, hard } = JSON.parse(line);
    const name = type.replace('-DNF', '');
    if (!hashes.has(name)) hashes.set(name, createHash('sha256'));
    hashes.get(name).update(`${JSON.stringify([query, hard])}\n`);
  }
  return Object.fromEntries([...hashes].map(([name, hash]) => [name, hash.digest('hex').slice(0, 16)]));
}

async function writeScores(path) {
  const rows = [];
  const few = queries.map((part) => someQueries(part, 20));
  const keep = async (shape, anchors, relations, count) => {
    const scores = await score(shape, anchors, relations, count);
    for (let row = 0; row < count; row += 1)
      rows.push({
        structure: shape.name,
        scores: [...scores.subarray(row * entityCount, (row + 1) * entityCount)],
      });
    return scores;
  };
  const { structures } = await evaluateRanking({ queries: few, score: keep, entityCount });
  const answers = few.flatMap(({ count, easy, hard }) =>
    Array.from({ length: count }, (_, i) => ({ easy: listOf(easy, i), hard: listOf(hard, i) })),
  );
  await writeFile(
    path,
    JSON.stringify({ metrics: structures, queries: rows.map((row, i) => ({ ...row, ...answers[i] })) }),
  );
}

function listOf({ offsets, ids }, row) {
  return [...ids.subarray(offsets[row], offsets[row + 1])];
}
