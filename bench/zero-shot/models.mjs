// Trains the model of each judged graph with its usual preset.
//
//   node bench/zero-shot/models.mjs OUT [--data data] [--minutes 5] [graph …]
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { sampleQuerySets } from '@fuzzqe/data';
import { pathExists } from '@fuzzqe/files';
import { defaultTraining, fitBatch, openDevice, runTraining } from '@fuzzqe/train';
import { judgedGraph, judgedGraphs } from './graphs.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string', default: 'data' }, minutes: { type: 'string', default: '5' } },
});
const [out, ...named] = positionals;
const seed = 1;
for (const name of named.length > 0 ? named : judgedGraphs) {
  const run = join(out, name, 'run');
  const dataset = await judgedGraph(name, values.data);
  const sizes = { train: 0, trainNegation: 0, valid: 20, test: 0 };
  const queries = await sampleQuerySets(dataset, {
    sizes,
    workers: 0,
    random: createRandom('queries', seed),
  });
  const { config } = fitBatch({ ...defaultTraining(dataset.vocabulary.entityCount), seed }, queries.train);
  await runTraining({
    directory: run,
    ...{ dataset, queries, config, threads: 1, runtime: openDevice('cpu', { threads: 1 }) },
    ...{ minutes: Number(values.minutes), resume: await pathExists(join(run, 'state.json')) },
    onStep() {},
    onValidation: ({ step, mrr }) =>
      console.log(`${name}: step ${step}, MRR ${(100 * (mrr ?? 0)).toFixed(1)}`),
  });
}
