// What a query costs where the graphs run on the CPU, on CUDA or on WebGPU, at the size of FB15k-237.
//
//   npm run build && node bench/serving-devices.mjs [--device cpu,webgpu,cuda] [--dimension 800] [--batch 1,32,224] [--inFlight 2]
//     [--plan operators] [--workers N] [--profile fp32] [--folder DIR] [--rounds 20]
//
// A bundle with random weights (relations by blocks) is made in --folder and kept there. Queries: the 14 structures in turns, k = 10,
// both modes. Milliseconds a query, amortised over calls of --batch queries (224 at most), and the median of a call.
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { openServingEngine } from '@fuzzqe/serve';
import { timeEngine } from './serve/engine.mjs';
import { madeBundle, suffixOf } from './serve/made-bundle.mjs';
import { drawQueries } from './serve/queries.mjs';

const { values } = parseArgs({
  options: {
    device: { type: 'string', default: 'cpu,webgpu,cuda' },
    dimension: { type: 'string', default: '800' },
    batch: { type: 'string', default: '1,32,224' },
    inFlight: { type: 'string', default: '2' },
    plan: { type: 'string', default: 'operators' },
    modes: { type: 'string', default: 'embedding,sets' },
    workers: { type: 'string', default: String(Math.min(8, availableParallelism())) },
    profile: { type: 'string', default: 'fp32' },
    folder: { type: 'string', default: join(tmpdir(), 'fuzzqe-bench-engine') },
    rounds: { type: 'string', default: '20' },
  },
});
const dimension = Number(values.dimension);
const bundle = await madeBundle(join(values.folder, `d${dimension}${suffixOf('blocks')}-${values.profile}`), {
  dimension,
  profiles: [values.profile],
  form: 'blocks',
});
const works = values.modes
  .split(',')
  .flatMap((mode) => values.batch.split(',').map((batch) => ({ mode, batch: Number(batch) })));

console.log(
  `d = ${dimension}, ${values.profile}, plan ${values.plan}, ${values.workers} workers on the CPU\n`,
);
console.log('| device | mode | batch | ms a query | a call | processor |');
console.log('|---|---|---:|---:|---:|---:|');
for (const device of values.device.split(',')) {
  try {
    const engine = await openServingEngine({
      directory: bundle,
      profile: values.profile,
      device,
      plan: values.plan,
      workers: Number(values.workers),
      batchSize: Math.max(128, ...works.map(({ batch }) => batch)),
      verify: false,
    });
    const drawn = drawQueries(engine.facts, 1400, createRandom('bench serve', 'queries'));
    for (const { mode, batch, time, call, processor } of await timeEngine(engine, drawn, works, {
      rounds: Number(values.rounds),
      inFlight: Number(values.inFlight),
    }))
      console.log(
        `| ${device} | ${mode} | ${batch} | ${time.toFixed(3)} | ${call.toFixed(3)} | ${processor.toFixed(3)} |`,
      );
    await engine.close();
  } catch (error) {
    console.log(`| ${device} | ${String(error).split('\n', 1)[0]} | | | | |`);
  }
}
