import type { Random } from '@fuzzqe/core';
import type { ModelConfig } from '../../config/config.ts';
import { filled } from '../../config/filled.ts';
import type { Parameters } from '../../config/of-parameters.ts';

/** The shapes of the trained tensors. */
export type BasesShapes = Readonly<
  Record<'entities' | 'coefficients' | 'bases' | 'biasBases', readonly number[]>
>;

/**
 * Entities uniform in [0,1], bases with orthonormal rows, coefficients and bias bases Xavier-normal.
 *
 * Source: the authors' description of their released configuration; kept for comparison, since centred starts
 * measured better.
 */
export function paperParameters(config: ModelConfig, shapes: BasesShapes, random: Random): Parameters {
  const { dimension: d, bases: count, relations } = config;
  const bases = filled(shapes.bases, random.fork('parameters', 'bases'), (r) => r.normal());
  for (let j = 0; j < count; j += 1) orthonormalise(bases.subarray(j * d * d, (j + 1) * d * d), d);
  return {
    entities: filled(shapes.entities, random.fork('parameters', 'entities'), (r) => r.uniform()),
    coefficients: filled(
      shapes.coefficients,
      random.fork('parameters', 'coefficients'),
      (r) => Math.sqrt(2 / (relations + count)) * r.normal(),
    ),
    bases,
    biasBases: filled(
      shapes.biasBases,
      random.fork('parameters', 'biasBases'),
      (r) => Math.sqrt(2 / (count + d)) * r.normal(),
    ),
  };
}

/** Makes the rows of a square matrix orthonormal, one after the other (modified Gram–Schmidt). */
function orthonormalise(matrix: Float32Array, size: number): void {
  const row = (i: number): Float32Array => matrix.subarray(i * size, (i + 1) * size);
  for (let i = 0; i < size; i += 1) {
    const own = row(i);
    for (let j = 0; j < i; j += 1) {
      const other = row(j);
      const along = own.reduce((total, value, column) => total + value * other[column]!, 0);
      own.forEach((value, column) => {
        own[column] = value - along * other[column]!;
      });
    }
    const length = Math.hypot(...own);
    own.forEach((value, column) => {
      own[column] = value / length;
    });
  }
}

/**
 * Small, centred parameters.
 *
 * Entities start near the middle of [0,1], bases near 1/d, and v_j = −c·(column sums of M_j), where c is the mean
 * element of a projection input, so that layer normalisation sees differences between inputs and not their common
 * part. Measured better than large or uncentred starts.
 */
export function centredParameters(config: ModelConfig, shapes: BasesShapes, random: Random): Parameters {
  const { dimension: d, bases: count, relations } = config;
  const drawn = (name: keyof BasesShapes, draw: (random: Random) => number): Float32Array =>
    filled(shapes[name], random.fork('parameters', name), draw);
  const entities = drawn('entities', (r) => 0.5 + 0.05 * r.normal());
  const coefficients = drawn('coefficients', (r) => Math.sqrt(2 / (relations + count)) * r.normal());
  const bases = drawn('bases', (r) => r.normal() / d);
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
