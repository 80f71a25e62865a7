import { createRandom } from '@fuzzqe/core';
import { sampleQuerySets } from '@fuzzqe/data';
import { tinyDataset } from '@fuzzqe/data/testing';
import { ortCpuRuntime } from '../../runtimes/ort-runtime.ts';
import { runTraining } from '../../training/run.ts';
import { tinyConfig } from '../tiny-run.ts';

/**
 * A process that trains a tiny run, for tests that kill it: `train-tiny FOLDER [--resume] [--often]`.
 *
 * A checkpoint after every third step, or every step with `--often`, and bases that make it large enough for its writing to take a while.
 */
const [directory, ...flags] = process.argv.slice(2) as [string, ...string[]];
const dataset = tinyDataset('tiny', 1);
const config = tinyConfig();
await runTraining({
  directory,
  dataset,
  config: {
    ...config,
    model: { ...config.model, dimension: 64, bases: 24 },
    dropout: { input: 0.1, output: 0.1 },
    complexFrom: 0.3,
    steps: 40,
    validation: { every: 3, patience: 1000 },
  },
  queries: await sampleQuerySets(dataset, {
    sizes: { train: 20, valid: 2, test: 1 },
    random: createRandom('queries'),
  }),
  runtime: ortCpuRuntime({ threads: 1 }),
  threads: 1,
  resume: flags.includes('--resume'),
  ...(flags.includes('--often') ? { checkpointMinutes: 0 } : {}),
});
