// How large the bundles of a data set are, how long their export takes and how much memory it needs.
//
//   npm run build && node bench/export.mjs data/fb15k-237 [--dimension 400] [--bases 50] [--profiles fp32,int8]
//     [--queries 20] [--out DIR]
//
// The parameters are random: sizes, times and memory do not depend on them, and the quality that is measured at export
// says nothing here. `--queries` of each structure are measured on, from the data set's validation queries. Without
// --out the bundle is removed again. Peak memory is that of the whole process, with what reading the data left behind.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { initialiseParameters, plainModel } from '@fuzzqe/core/model';
import { queryRow, readDataset, readQueries } from '@fuzzqe/data';
import { defaultSets, exportBundle, profileNames, randomGoldenQueries } from '@fuzzqe/export';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dimension: { type: 'string', default: '400' },
    bases: { type: 'string', default: '50' },
    profiles: { type: 'string', default: profileNames.join(',') },
    queries: { type: 'string', default: '20' },
    out: { type: 'string' },
  },
});
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const peak = () => megabytes(process.resourceUsage().maxRSS * 1024);

const [folder] = positionals;
const dataset = await readDataset(folder);
const { train } = dataset.graphs();
const config = {
  ...plainModel,
  dimension: Number(values.dimension),
  bases: Number(values.bases),
  entities: train.entityCount,
  relations: train.relationCount,
};
const validation = [];
if (Number(values.queries) > 0) {
  const parts = await readQueries(`${folder}/queries/valid.jsonl`, { bounds: train, smaller: train });
  for (const part of parts)
    for (let row = 0; row < Math.min(part.count, Number(values.queries)); row += 1) {
      const { anchors, relations, easy, hard } = queryRow(part, row);
      const query = Object.entries({ anchors, relations, easy, hard }).map(([key, ids]) => [key, [...ids]]);
      if (hard.length > 0) validation.push({ structure: part.structure, ...Object.fromEntries(query) });
    }
}
const random = createRandom('bench export');
const parameters = initialiseParameters(config, random);
console.log(
  `${'before'.padEnd(10)} peak ${peak()}, parameters ${megabytes(
    Object.values(parameters).reduce((sum, { byteLength }) => sum + byteLength, 0),
  )}, ${validation.length} validation queries`,
);

const directory = values.out ?? join(await mkdtemp(join(tmpdir(), 'fuzzqe-bench-')), 'bundle');
const start = performance.now();
const cpu = process.cpuUsage();
const line = (what) => {
  const { user, system } = process.cpuUsage(cpu);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(
    `${what.padEnd(10)} after ${seconds} s, ${((user + system) / 1e6).toFixed(1)} CPU s, peak ${peak()}`,
  );
};
const manifest = await exportBundle({
  directory,
  name: 'bench',
  config,
  parameters,
  vocabulary: dataset.vocabulary,
  graph: train,
  data: { name: dataset.name, licence: dataset.licence ?? 'unknown' },
  training: {},
  metrics: {},
  sets: defaultSets(config),
  goldenQueries: randomGoldenQueries(config, 4, random.fork('golden')),
  k: 10,
  profiles: values.profiles.split(','),
  validation,
  onProgress: ({ stage, done, total }) => {
    if (done === total) line(stage);
  },
});
line('written');
for (const [name, { bytes, quality }] of Object.entries(manifest.profiles))
  console.log(
    `${name.padEnd(10)} ${megabytes(bytes)}${'reason' in quality ? '' : `, overlap@10 ${quality.embedding.overlap10.toFixed(4)}, by sets ${quality.sets.overlap10.toFixed(4)}`}`,
  );
if (values.out === undefined) await rm(join(directory, '..'), { recursive: true });
