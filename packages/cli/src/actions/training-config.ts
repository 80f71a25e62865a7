import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import type { Dataset } from '@fuzzqe/data';
import { systemErrorCode } from '@fuzzqe/files';
import {
  defaultTraining,
  loadTrainingConfig,
  readRunState,
  recordedTrainingConfig,
  type TrainingConfig,
} from '@fuzzqe/train';

/** The configuration that was named, or what is trained on a data set where none is. Throws: as `loadTrainingConfig`. */
export async function trainingConfig(
  nameOrFile: string | undefined,
  { vocabulary }: Dataset,
): Promise<TrainingConfig> {
  return nameOrFile === undefined ? defaultTraining(vocabulary.entityCount) : loadTrainingConfig(nameOrFile);
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
