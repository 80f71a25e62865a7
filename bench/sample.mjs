// How long the queries of a data set take to sample, at the published numbers of queries.
//
//   npm run build && node bench/sample.mjs data/fb15k-237 [workers …]
//
// Prints a line for each number of threads, and checks that the queries are the same for all of them.
import { createHash } from 'node:crypto';
import { createRandom } from '@fuzzqe/core';
import { queriesToJsonLines, readDataset, sampleQuerySets } from '@fuzzqe/train';

const [folder, ...counts] = process.argv.slice(2);
const share = Number(process.env['SHARE'] ?? 1);
const of = (count) => Math.ceil(count * share);
const dataset = await readDataset(folder);
dataset.graphs();
const seen = new Set();
for (const workers of (counts.length === 0 ? ['0', '1', '2'] : counts).map(Number)) {
  const start = performance.now();
  let lap = start;
  let reached = 0;
  const sets = await sampleQuerySets(dataset, {
    sizes: { train: of(149_689), trainNegation: of(14_968), valid: of(5000), test: of(5000) },
    every1p: true,
    workers,
    random: createRandom('bench'),
    onProgress(done) {
      if (process.env['LAPS'] === undefined || done - reached < of(5000)) return;
      console.error(`${done} queries: ${((performance.now() - lap) / 1000).toFixed(2)} s`);
      lap = performance.now();
      reached = done;
    },
  });
  const seconds = (performance.now() - start) / 1000;
  const hash = createHash('sha256');
  let queries = 0;
  for (const part of [sets.train, sets.valid, sets.test])
    for (const line of queriesToJsonLines(part)) {
      hash.update(line);
      queries++;
    }
  const digest = hash.digest('hex');
  seen.add(digest);
  const memory = (process.memoryUsage.rss() / 2 ** 20).toFixed(0);
  console.log(
    `${workers} workers: ${queries} queries in ${seconds.toFixed(1)} s, ${memory} MiB, ${digest.slice(0, 12)}`,
  );
}
if (seen.size > 1) throw new Error('the queries depend on the number of workers');
