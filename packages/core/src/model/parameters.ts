import type { Random } from '../tensor/random.ts';
import { sizeOf } from '../tensor/shape.ts';
import type { ModelConfig } from './config.ts';

/** The names of the trained tensors. */
export const parameterNames = ['entities', 'coefficients', 'bases', 'biasBases'] as const;
export type ParameterName = (typeof parameterNames)[number];

/** One float32 array for each trained tensor. */
export type Parameters = Readonly<Record<ParameterName, Float32Array>>;

/**
 * The shapes of the trained tensors.
 *
 * entities [|E|, d] free numbers behind p_e; coefficients [|R|, K] the paper's α; bases [K, d, d] its M
 * (input axis first, so that a row vector is multiplied from the left); biasBases [K, d] its v.
 */
export function parameterShapes(config: ModelConfig): Readonly<Record<ParameterName, readonly number[]>> {
  const { entities, relations, dimension: d, bases } = config;
  return {
    entities: [entities, d],
    coefficients: [relations, bases],
    bases: [bases, d, d],
    biasBases: [bases, d],
  };
}

/**
 * Small, centred parameters to start training from.
 *
 * Entities start near the middle of [0,1], bases near 1/d, and v_j = −c·(column sums of M_j), where c is the mean
 * element of a projection input, so that layer normalisation sees differences between inputs and not their common
 * part. Measured better than large or uncentred starts.
 */
export function initialiseParameters(config: ModelConfig, random: Random): Parameters {
  const { dimension: d, bases: count, relations } = config;
  const shapes = parameterShapes(config);
  const fill = (name: ParameterName, draw: (random: Random) => number): Float32Array => {
    const stream = random.fork('parameters', name);
    return Float32Array.from({ length: sizeOf(shapes[name]) }, () => draw(stream));
  };
  const entities = fill('entities', (r) => 0.5 + 0.05 * r.normal());
  const coefficients = fill('coefficients', (r) => Math.sqrt(2 / (relations + count)) * r.normal());
  const bases = fill('bases', (r) => r.normal() / d);
  const centre = inputCentre(config);
  const biasBases = new Float32Array(count * d);
  for (let j = 0; j < count; j += 1)
    for (let column = 0; column < d; column += 1) {
      let total = 0;
      for (let row = 0; row < d; row += 1) total += bases[(j * d + row) * d + column]!;
      biasBases[j * d + column] = -centre * total;
    }
  return { entities, coefficients, bases, biasBases };
}

/** The mean element of a projection input at the start: every element of an entity's vector is then near 1/2. */
function inputCentre({ dimension, entityNormalisation, projectionInput }: ModelConfig): number {
  return projectionInput === 'l2' || entityNormalisation === 'l2' ? 1 / Math.sqrt(dimension) : 1 / dimension;
}
