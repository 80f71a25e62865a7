import type { Random } from '@fuzzqe/core';
import { FuzzError } from '@fuzzqe/core';
import type { NumericTensors } from '@fuzzqe/core/tensor';
import { numeric, sizeOf } from '@fuzzqe/core/tensor';
import type { ModelConfig } from './config.ts';

/** The names of the trained tensors of models; `parameterNamesOf` says which one has. */
export const parameterNames = ['entities', 'coefficients', 'bases', 'biasBases'] as const;
export type ParameterName = (typeof parameterNames)[number];

/** Something of each trained tensor: relations that are blocks have no bases. */
export type OfParameters<T> = Readonly<
  Record<'entities' | 'coefficients', T> & Partial<Record<'bases' | 'biasBases', T>>
>;

/** One float32 array for each trained tensor. */
export type Parameters = OfParameters<Float32Array>;

/**
 * The shapes of the trained tensors.
 *
 * entities [|E|, d] free numbers behind p_e; coefficients [|R|, K] the paper's α; bases [K, d, d] its M
 * (input axis first, so that a row vector is multiplied from the left); biasBases [K, d] its v. With blocks
 * entities and coefficients [|R|, d] only: the diagonals, then the elements next to the diagonals.
 */
export function parameterShapes(config: ModelConfig): OfParameters<readonly number[]> {
  const { entities, relations, dimension: d, bases } = config;
  if (config.relationForm === 'blocks') return { entities: [entities, d], coefficients: [relations, d] };
  return {
    entities: [entities, d],
    coefficients: [relations, bases],
    bases: [bases, d, d],
    biasBases: [bases, d],
  };
}

/** The trained tensors that a model has. */
export function parameterNamesOf({
  relationForm,
}: Pick<ModelConfig, 'relationForm'>): readonly ParameterName[] {
  return relationForm === 'blocks' ? ['entities', 'coefficients'] : parameterNames;
}

/**
 * The bases, where relations have them.
 *
 * @throws FuzzError `config`: blocks.
 */
export function basesOf<T>({ bases, biasBases }: Pick<OfParameters<T>, 'bases' | 'biasBases'>): {
  readonly bases: T;
  readonly biasBases: T;
} {
  if (bases !== undefined && biasBases !== undefined) return { bases, biasBases };
  throw new FuzzError('config', 'expected relations by bases, got blocks', { path: 'relationForm' });
}

/** Trained tensors as values of a program's parameters, by name. */
export function numericParameters(config: ModelConfig, parameters: Parameters): NumericTensors {
  const shapes = parameterShapes(config);
  return Object.fromEntries(
    parameterNamesOf(config).map((name) => [name, numeric(shapes[name]!, parameters[name]!)]),
  );
}

/** How parameters start: small and centred, or as the paper's authors describe theirs. */
export const initialisationNames = ['centred', 'paper'] as const;
export type InitialisationName = (typeof initialisationNames)[number];

/**
 * Parameters to start training from; every tensor has a random stream of its own. Blocks have one start.
 * Shapes: as `parameterShapes` gives them.
 *
 * @example
 * const parameters = initialiseParameters(trained.config, createRandom('run', 1));
 */
export function initialiseParameters(
  config: ModelConfig,
  random: Random,
  name: InitialisationName = 'centred',
): Parameters {
  if (config.relationForm === 'blocks') return blockParameters(config, random);
  return name === 'centred' ? centredParameters(config, random) : paperParameters(config, random);
}

/** Every entity near belonging to everything alike, every block near 0, so that all scores start near each other. */
function blockParameters(config: ModelConfig, random: Random): Parameters {
  const shapes = parameterShapes(config);
  const drawn = (name: 'entities' | 'coefficients'): Float32Array =>
    fill(shapes[name], random.fork('parameters', name), (r) => 0.1 * r.normal());
  return { entities: drawn('entities'), coefficients: drawn('coefficients') };
}

/**
 * Entities uniform in [0,1], bases with orthonormal rows, coefficients and bias bases Xavier-normal.
 *
 * Source: the authors' description of their released configuration; kept for comparison, since centred starts
 * measured better.
 */
function paperParameters(config: ModelConfig, random: Random): Parameters {
  const { dimension: d, bases: count, relations } = config;
  const shapes = basesShapes(config);
  const bases = fill(shapes.bases, random.fork('parameters', 'bases'), (r) => r.normal());
  for (let j = 0; j < count; j += 1) orthonormalise(bases.subarray(j * d * d, (j + 1) * d * d), d);
  return {
    entities: fill(shapes.entities, random.fork('parameters', 'entities'), (r) => r.uniform()),
    coefficients: fill(
      shapes.coefficients,
      random.fork('parameters', 'coefficients'),
      (r) => Math.sqrt(2 / (relations + count)) * r.normal(),
    ),
    bases,
    biasBases: fill(
      shapes.biasBases,
      random.fork('parameters', 'biasBases'),
      (r) => Math.sqrt(2 / (count + d)) * r.normal(),
    ),
  };
}

function basesShapes(config: ModelConfig): Readonly<Record<ParameterName, readonly number[]>> {
  const shapes = parameterShapes(config);
  return { ...shapes, ...basesOf(shapes) };
}

function fill(shape: readonly number[], stream: Random, draw: (random: Random) => number): Float32Array {
  const values = new Float32Array(sizeOf(shape));
  for (let i = 0; i < values.length; i += 1) values[i] = draw(stream);
  return values;
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
function centredParameters(config: ModelConfig, random: Random): Parameters {
  const { dimension: d, bases: count, relations } = config;
  const shapes = basesShapes(config);
  const drawn = (name: ParameterName, draw: (random: Random) => number): Float32Array =>
    fill(shapes[name], random.fork('parameters', name), draw);
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
