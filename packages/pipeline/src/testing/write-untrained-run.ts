import { graphDigest } from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import type { Dataset } from '@fuzzqe/data';
import { initialiseParameters, type ModelOptions } from '@fuzzqe/model';
import { parameterTensors, presets, saveTensors, writeRunState } from '@fuzzqe/train';

/** Writes a run whose best checkpoint, of that step, is a small model that was never trained. */
export async function writeUntrainedRun(
  run: string,
  dataset: Dataset,
  step = 0,
  options: Partial<ModelOptions> = {},
): Promise<void> {
  const { train } = dataset.graphs();
  const { entityCount: entities, relationCount: relations } = train;
  const small = { dimension: 8, bases: 2, ...options };
  const model = { ...presets.countries.training.model, ...small, entities, relations };
  const parameters = initialiseParameters(model, createRandom('large', step), 'paper');
  await writeRunState(run, {
    ...({ format: 'fuzzqe-run', version: 1, config: {}, device: 'elsewhere', status: 'finished' } as const),
    ...{ model, data: { name: 'large', licence: 'CC0-1.0', sha256: await graphDigest(train) } },
    best: await saveTensors(run, 'best', step, parameterTensors(model, parameters)),
  });
}
