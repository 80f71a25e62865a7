import { createRandom } from '@fuzzqe/core';
import { sampleQuerySets } from '@fuzzqe/data';
import { tinyDataset } from '@fuzzqe/data/testing';
import { ortCpuRuntime } from '../../runtimes/ort-runtime.ts';
import { runTraining } from '../../training/run.ts';
import { float64Validation } from '../float64-scorer.ts';
import { tinyConfig } from '../tiny-run.ts';

/**
 * A process that trains a tiny run, for tests that kill it: `train-tiny FOLDER [--resume] [--often]`.
 *
 * A checkpoint after every third step, or every step with `--often`, and bases that make it large enough for its writing to take a while.
 */
const [directory, ...flags] = process.argv.slice(2) as [string, ...string[]];
const dataset = tinyDataset('tiny', 1);
const tiny = tinyConfig();
const config = {
  ...tiny,
  model: { ...tiny.model, dimension: 64, bases: 24 },
  dropout: { input: 0.1, output: 0.1 },
  complexFrom: 0.3,
  steps: 40,
  validation: { every: 3, patience: 1000, mode: 'embedding' as const },
};
const queries = await sampleQuerySets(dataset, {
  sizes: { train: 20, valid: 2, test: 1 },
  random: createRandom('queries'),
});
await runTraining({
  ...{ directory, dataset, config, queries },
  runtime: ortCpuRuntime({ threads: 1 }),
  validate: float64Validation(config, dataset.graphs().train, queries.valid),
  resume: flags.includes('--resume'),
  ...(flags.includes('--often') ? { checkpointMinutes: 0 } : {}),
});
