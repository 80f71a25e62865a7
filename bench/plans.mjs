// What a query costs by each way of answering, when many of all 14 structures come at once.
//
//   npm run build && node bench/plans.mjs BUNDLE [--profile int8] [--threads 1] [--queries 256] [--repeats 7]
//
// BUNDLE may be one of `bench/export.mjs --out`. Ways take turns, so that a loaded machine slows all of them; the figure
// is the median. Last, projections alone: one run of all rows, or eight rows a run, as they come or sorted by relation.
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { instantiate, structureNames, structures } from '@fuzzqe/core/query';
import { openEngine } from '@fuzzqe/engine';
import { folderSource, nodeSessions } from '@fuzzqe/serve';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: 'string', default: 'int8' },
    threads: { type: 'string', default: '1' },
    queries: { type: 'string', default: '256' },
    batch: { type: 'string', default: '16' },
    repeats: { type: 'string', default: '7' },
  },
});
const [directory] = positionals;
const threads = Number(values.threads);
const sessions = nodeSessions(directory, { threads });
const source = folderSource(directory);
const engine = await openEngine({
  source,
  sessions,
  profile: values.profile,
  batchSize: Number(values.batch),
  verify: false,
});
const { model, profiles } = engine.manifest;
const random = createRandom('bench plans');
const draw = (count, below) => Array.from({ length: count }, () => random.below(below));
const count = Number(values.queries);
const queries = Array.from({ length: count }, (_, i) => {
  const { template, anchors, relations } = structures[structureNames[i % structureNames.length]];
  return instantiate(template, draw(anchors, model.entities), draw(relations, model.relations));
});

/** Medians of the times of several works, which take turns. */
async function compare(works) {
  const times = new Map(works.map(([name]) => [name, []]));
  for (let round = 0; round <= Number(values.repeats); round += 1)
    for (const [name, work] of works) {
      const start = performance.now();
      await work();
      // The first round opens graphs and maps weights.
      if (round > 0) times.get(name).push(performance.now() - start);
    }
  for (const [name, all] of times) {
    const median = all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
    console.log(`  ${name.padEnd(28)} ${(median / count).toFixed(3)} ms a query`);
  }
}

const { entities, relations, dimension } = model;
console.log(
  `|E| ${entities}, |R| ${relations}, d ${dimension}, ${values.profile}, ${engine.runtime}, threads ${threads}`,
);
console.log(`${count} queries of ${structureNames.length} structures, ranked ${values.batch} at once`);
await compare(
  ['structure', 'program', 'operators'].map((plan) => [plan, () => engine.rank(queries, { plan })]),
);
const rss = Number(process.resourceUsage().maxRSS) / 1000;
console.log(`  peak memory, mapped weights included: ${rss.toFixed(0)} MB`);

const project = await sessions.open(profiles[values.profile].operators.project, source);
const rows = draw(count, relations);
const operand = Float32Array.from({ length: count * dimension }, () => random.uniform());
const run = async (order, size) => {
  for (let from = 0; from < count; from += size) {
    const chunk = order.slice(from, from + size);
    await project.run({
      operand: { dims: [chunk.length, dimension], data: operand.subarray(0, chunk.length * dimension) },
      relations: { dims: [chunk.length], data: Int32Array.from(chunk) },
    });
  }
};
const sorted = rows.toSorted((a, b) => a - b);
console.log(`${count} projections`);
await compare([
  ['one run', () => run(rows, count)],
  ['one run, by relation', () => run(sorted, count)],
  ['8 rows a run', () => run(rows, 8)],
  ['8 rows a run, by relation', () => run(sorted, 8)],
]);
await project.close();
await engine.close();
