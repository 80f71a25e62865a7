import { defaultProjection } from '@fuzzqe/core/sets';
import { defaultWeights } from '@fuzzqe/evidence';
import { familyOf, type ModelConfig } from '@fuzzqe/model';
import type { SetsOptions } from './export-options.ts';

/**
 * How a model without a calibration answers in mode `sets`: with the fixed weights of `defaultWeights` and without rules.
 *
 * @example
 * const sets = defaultSets(trained.config);
 */
export function defaultSets(config: ModelConfig, typeRelations: readonly number[] = []): SetsOptions {
  const { relations } = config;
  return {
    projection: defaultProjection,
    weights: defaultWeights(relations, {
      temperature: familyOf(config).linkTemperature,
      typeRelations,
    }),
    rules: { relationCount: relations, rules: [] },
    fitted: null,
    reliability: null,
  };
}
