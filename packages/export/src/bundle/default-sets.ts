import type { ModelConfig } from '@fuzzqe/core/model';
import { defaultProjection } from '@fuzzqe/core/sets';
import { defaultWeights } from '@fuzzqe/evidence';
import type { SetsOptions } from './export-options.ts';

/** How a model answers by fuzzy sets that was not calibrated: by the usual weights and without rules. */
export function defaultSets({ relations, relationForm }: ModelConfig): SetsOptions {
  return {
    projection: defaultProjection,
    weights: defaultWeights(relations, { temperature: relationForm === 'blocks' ? 1 : 20 }),
    rules: { relationCount: relations, rules: [] },
    fitted: null,
    reliability: null,
  };
}
