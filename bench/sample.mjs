// How long the queries of a data set take to sample, at the numbers of the published FB15k-237 queries.
//
//   npm run build && node bench/sample.mjs data/fb15k-237 [--share 1] [--workers 0,1,2]
//
// Prints a line for each number of threads, and fails where the queries depend on it.
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { queriesToJsonLines, readDataset, sampleQuerySets } from '@fuzzqe/data';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { share: { type: 'string', default: '1' }, workers: { type: 'string', default: '0,1,2' } },
});
const of = (count) => Math.ceil(count * Number(values.share));
const dataset = await readDataset(positionals[0]);
dataset.graphs();
const seen = new Set();
for (const workers of values.workers.split(',').map(Number)) {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const sets = await sampleQuerySets(dataset, {
    sizes: { train: of(149_689), trainNegation: of(14_968), valid: of(5000), test: of(5000) },
    every1p: true,
    workers,
    random: createRandom('bench'),
  });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const hash = createHash('sha256');
  let queries = 0;
  for (const part of [sets.train, sets.valid, sets.test])
    for (const line of queriesToJsonLines(part)) {
      hash.update(line);
      queries++;
    }
  const digest = hash.digest('hex').slice(0, 12);
  seen.add(digest);
  const megabytes = (process.memoryUsage.rss() / 1e6).toFixed(0);
  const cpuSeconds = ((user + system) / 1e6).toFixed(1);
  console.log(
    `${workers} workers: ${queries} queries in ${seconds.toFixed(1)} s (${cpuSeconds} CPU s), ${megabytes} MB, ${digest}`,
  );
}
if (seen.size > 1) throw new Error('the queries depend on the number of workers');
