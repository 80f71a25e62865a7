import { createRandom } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';
import { type ModelConfig, type Parameters, parameterShapes } from '@fuzzqe/model';
import { blocksConfig } from './sample.ts';

/** A model with blocks of a dimension that is trained. */
export const wideBlocks: ModelConfig = { ...blocksConfig, entities: 600, relations: 8, dimension: 200 };

/**
 * Parameters as training leaves them: d p_e − 1 of a deviation of about 1/6, and 2S − 1 of a hundredth to a sixteenth, by relation.
 *
 * With blocks S lies close to 1/2 everywhere, so what is stored and computed has to be exact where it differs from it.
 */
export function trainedBlocks(config: ModelConfig, seed = 'trained blocks'): Parameters {
  const random = createRandom(seed);
  const shapes = parameterShapes(config);
  const d = config.dimension;
  const entities = Float32Array.from({ length: sizeOf(shapes.entities) }, () => 0.35 * random.normal());
  const coefficients = Float32Array.from({ length: sizeOf(shapes.coefficients) }, (_, at) => {
    const relation = Math.floor(at / d);
    return 0.1 * 2 ** ((relation % 8) / 3) * random.normal();
  });
  return { entities, coefficients };
}
