import type { TrainingConfig } from '../config.ts';

/**
 * The configuration of a run that goes on from another one for some steps: as the other run ended, with all structures and
 * negatives of its last phase from the first step on.
 *
 * Ranges: steps ≥ 1.
 */
export function refreshConfig(config: TrainingConfig, steps: number): TrainingConfig {
  const { optimiser, negatives, validation } = config;
  const every = Math.min(validation.every, steps);
  const warmupSteps = Math.min(optimiser.schedule.warmupSteps, Math.ceil(steps / 10));
  return {
    ...config,
    steps,
    complexFrom: config.complexFrom < 1 ? 0 : 1,
    negatives: { ...negatives, allFrom: negatives.allFrom < 1 ? 0 : 1 },
    optimiser: { ...optimiser, schedule: { ...optimiser.schedule, warmupSteps } },
    validation: { ...validation, every },
  };
}
