// Milliseconds of the processor for one answer of 64 entities, in both modes, structure by structure.
//
//   npm run build && node bench/answer-times.mjs BUNDLE --data DATA [--queries 20]
//
// Queries are the first test queries of the data set, one at a time on one thread; two of each structure go before.
// Times are medians of a structure, and `mean` is their mean over structures.
import { parseArgs } from 'node:util';
import { instantiate } from '@fuzzqe/core/query';
import { queryRow, readDataset, readQueries } from '@fuzzqe/data';
import { openEngine } from '@fuzzqe/engine';
import { folderSource, nodeSessions } from '@fuzzqe/serve';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, queries: { type: 'string', default: '20' } },
});
const [bundle] = positionals;
const warmUps = 2;
const dataset = await readDataset(values.data);
const { entityCount, relationCount } = dataset.vocabulary;
const parts = await readQueries(`${values.data}/queries/test.jsonl`, {
  bounds: { entityCount, relationCount },
  smaller: dataset.graphs().trainValid,
});
const engine = await openEngine({
  source: folderSource(bundle),
  sessions: nodeSessions(bundle, { threads: 1 }),
  cacheBytes: 0,
});
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

for (const mode of ['embedding', 'sets']) {
  const medians = {};
  for (const part of parts) {
    const times = [];
    for (let row = 0; row < Math.min(part.count, Number(values.queries) + warmUps); row += 1) {
      const { anchors, relations } = queryRow(part, row);
      const query = instantiate(part.shape.template, anchors, relations);
      const before = process.cpuUsage();
      await engine.answer(query, mode === 'sets' ? { k: 64, minDegree: 0 } : { k: 64, mode });
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    medians[part.structure] = Number(median(times.slice(warmUps)).toFixed(2));
  }
  const all = Object.values(medians);
  const mean = (all.reduce((sum, each) => sum + each, 0) / all.length).toFixed(2);
  console.log(mode, 'mean', mean, JSON.stringify(medians));
}
await engine.close();
