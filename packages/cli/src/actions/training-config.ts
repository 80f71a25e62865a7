import type { Dataset } from '@fuzzqe/data';
import { defaultTraining, loadTrainingConfig, type TrainingConfig } from '@fuzzqe/train';

/** The configuration that was named, or what is trained on a data set where none is. Throws: as `loadTrainingConfig`. */
export async function trainingConfig(
  nameOrFile: string | undefined,
  { vocabulary }: Dataset,
): Promise<TrainingConfig> {
  return nameOrFile === undefined ? defaultTraining(vocabulary.entityCount) : loadTrainingConfig(nameOrFile);
}
