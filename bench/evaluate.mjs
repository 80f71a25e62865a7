// How long the evaluation of a data set's test queries takes with a model of the given size.
//
//   npm run build && node bench/evaluate.mjs data/fb15k-237 [--dimension 400] [--bases 50] [--threads 2] [--limit 5000]
//
// The parameters are random: time does not depend on them, and the ranks are as bad, and as costly, as they get.
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { createLinkCounter, readDataset, readQueries } from '@fuzzqe/data';
import { initialiseParameters, plainModel } from '@fuzzqe/model';
import { scorerOf, serveParameters } from '@fuzzqe/pipeline';
import { evaluateRanking } from '@fuzzqe/train';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dimension: { type: 'string', default: '400' },
    bases: { type: 'string', default: '50' },
    threads: { type: 'string', default: '2' },
    limit: { type: 'string', default: '5000' },
    batch: { type: 'string', default: '512' },
  },
});
const number = (name) => Number(values[name]);
const [folder] = positionals;
const dataset = await readDataset(folder);
const { train, trainValid, full } = dataset.graphs();
const model = {
  ...plainModel,
  dimension: number('dimension'),
  bases: number('bases'),
  entities: train.entityCount,
  relations: train.relationCount,
};

const clock = (what) => {
  const start = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const seconds = ((performance.now() - start) / 1000).toFixed(2);
    console.log(`${what.padEnd(18)} ${seconds} s, ${((user + system) / 1e6).toFixed(2)} CPU s`);
  };
};

let done = clock('reading');
const all = await readQueries(`${folder}/queries/test.jsonl`, { bounds: full, smaller: trainValid });
const queries = all.map((part) => {
  const count = Math.min(part.count, number('limit'));
  const [easy, hard] = [part.easy, part.hard].map(({ offsets, ids }) => ({
    offsets: offsets.subarray(0, count + 1),
    ids: ids.subarray(0, offsets[count]),
  }));
  return { ...part, count, easy, hard };
});
done();
done = clock('missing links');
const counter = createLinkCounter(trainValid, full);
const missingLinks = queries.map((part) => counter.count(part));
done();

const parameters = initialiseParameters(model, createRandom('bench'));
done = clock('writing graphs');
const served = await serveParameters({ model, parameters, trained: train, threads: number('threads') });
const scoreBatch = scorerOf(train.entityCount, served.similarities);
done();
const count = queries.reduce((sum, part) => sum + part.count, 0);
let scoring = 0;
done = clock(`${count} queries`);
const report = await evaluateRanking({
  queries,
  missingLinks,
  entityCount: full.entityCount,
  batchSize: number('batch'),
  async score(...batch) {
    const start = performance.now();
    const scores = await scoreBatch(...batch);
    scoring += performance.now() - start;
    return scores;
  },
});
done();
console.log(`${'of it scoring'.padEnd(18)} ${(scoring / 1000).toFixed(2)} s`);
await served.close();
for (const [name, { mrr, answers }] of Object.entries({ ...report.structures, ...report.own })) {
  const shares = report.strata[name].map(({ missing, share }) => `${missing}: ${(100 * share).toFixed(1)} %`);
  console.log(
    `${name.padEnd(6)} MRR ${(100 * mrr).toFixed(4)} %, ${answers} answers; links missing ${shares.join(', ')}`,
  );
}
