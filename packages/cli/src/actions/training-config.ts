import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import type { Dataset } from '@fuzzqe/data';
import { systemErrorCode } from '@fuzzqe/files';
import {
  defaultTraining,
  loadTrainingConfig,
  presets,
  readRunState,
  recordedTrainingConfig,
  type TrainingConfig,
} from '@fuzzqe/train';

/**
 * The configuration that was named, or what is trained on a data set where none is. A preset compares with no more entities than there are.
 *
 * Throws: as `loadTrainingConfig`.
 */
export async function trainingConfig(
  nameOrFile: string | undefined,
  { vocabulary }: Dataset,
): Promise<TrainingConfig> {
  const { entityCount } = vocabulary;
  if (nameOrFile === undefined) return defaultTraining(entityCount);
  const config = await loadTrainingConfig(nameOrFile);
  const { kind, count } = config.negatives;
  if (kind === 'all' || !Object.hasOwn(presets, nameOrFile)) return config;
  return { ...config, negatives: { ...config.negatives, count: Math.min(count, entityCount) } };
}

/** The configuration of a run that was begun before; undefined where there is none. Throws: as `readRunState`. */
export async function configOfRun(folder: string): Promise<TrainingConfig | undefined> {
  try {
    return recordedTrainingConfig((await readRunState(folder)).config, join(folder, 'state.json'));
  } catch (error) {
    if (error instanceof FuzzError && systemErrorCode(error.cause) === 'ENOENT') return undefined;
    throw error;
  }
}
