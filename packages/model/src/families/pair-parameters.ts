import type { Random } from '@fuzzqe/core';
import type { ModelConfig } from '../config/config.ts';
import { filled } from '../config/filled.ts';
import type { Parameters } from '../config/of-parameters.ts';

/** What families whose relations multiply pairs train: a vector of each entity and of each relation. */
export const pairParameters = ({
  entities,
  relations,
  dimension: d,
}: ModelConfig): Readonly<Record<'entities' | 'coefficients', readonly number[]>> => ({
  entities: [entities, d],
  coefficients: [relations, d],
});

/** Small numbers, so that all scores start near each other. */
export function startPairs(config: ModelConfig, random: Random): Parameters {
  const shapes = pairParameters(config);
  const drawn = (name: 'entities' | 'coefficients'): Float32Array =>
    filled(shapes[name], random.fork('parameters', name), (r) => 0.1 * r.normal());
  return { entities: drawn('entities'), coefficients: drawn('coefficients') };
}
