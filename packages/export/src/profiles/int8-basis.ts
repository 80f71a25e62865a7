import {
  add,
  gather,
  integerMatmul,
  logicOf,
  type ModelConfig,
  matmul,
  mul,
  type Parameters,
  parameter,
  projectionInput,
  projectionOutput,
  reshape,
  toFloat,
} from '@fuzzqe/core';
import type { ServedModel } from '../programs/served-model.ts';
import { bytesOfArray, type ExportProfile, type Piece, type StoredTensor } from './profile.ts';
import { quantisedEntities, quantisedEntityModel, quantisedEntityTensors } from './quantised-entities.ts';
import { quantisedRefusal, quantisedTolerances } from './quantised-limits.ts';
import { quantiseRows } from './quantised-rows.ts';
import { codeOf, scaleOf } from './symmetric-codes.ts';

/** The bases in int8 instead of W_r: small where there are more relations than bases, at the cost of time. */
export const int8Basis: ExportProfile = {
  name: 'int8-basis',
  description: 'bases and entities in int8, combined at every run: the smallest with many relations',
  tolerances: quantisedTolerances,
  refusal: quantisedRefusal,
  model: basisModel,
  tensors: (config) => [...quantisedEntityTensors(config), ...relationTensors(config)],
  convert: (config, parameters) => ({
    entities: (table) => quantisedEntities(config, table),
    *biases(table) {
      yield* quantisedBases(config, parameters);
      yield { tensor: 'relationBiases', bytes: bytesOfArray(table) };
      yield { tensor: 'relationCoefficients', bytes: bytesOfArray(parameters.coefficients) };
    },
    end: () => [],
  }),
};

/** Coefficients stay float32: they are few, and an error in one would be an error in a whole basis. */
function relationTensors({ relations, dimension: d, bases }: ModelConfig): readonly StoredTensor[] {
  return [
    { name: 'relationBases', dtype: 'int8', shape: [d, bases * d] },
    { name: 'relationBasesScales', dtype: 'float', shape: [bases * d] },
    { name: 'relationBiases', dtype: 'float', shape: [relations, d], byRelation: true },
    { name: 'relationCoefficients', dtype: 'float', shape: [relations, bases], byRelation: true },
  ];
}

/** All bases beside each other, `[M_1 … M_K]`, and a scale for each of their columns. */
function* quantisedBases({ bases, dimension: d }: ModelConfig, parameters: Parameters): Generator<Piece> {
  const width = bases * d;
  const largest = new Float64Array(width);
  for (let j = 0; j < bases; j += 1)
    for (let row = 0; row < d; row += 1)
      for (let column = 0; column < d; column += 1) {
        const size = Math.abs(parameters.bases[(j * d + row) * d + column]!);
        if (size > largest[j * d + column]!) largest[j * d + column] = size;
      }
  const scales = Float32Array.from(largest, scaleOf);
  for (let row = 0; row < d; row += 1) {
    const codes = new Int8Array(width);
    for (let at = 0; at < width; at += 1) {
      const j = Math.floor(at / d);
      codes[at] = codeOf(parameters.bases[(j * d + row) * d + (at - j * d)]!, scales[at]!);
    }
    yield { tensor: 'relationBases', bytes: bytesOfArray(codes) };
  }
  yield { tensor: 'relationBasesScales', bytes: bytesOfArray(scales) };
}

function basisModel(config: ModelConfig): ServedModel {
  const { dimension: d, bases: count } = config;
  const [bases, scales, biases, coefficients] = relationTensors(config).map(({ name, dtype, shape }) =>
    parameter(name, shape, dtype),
  );
  return {
    config,
    logic: logicOf(config),
    ...quantisedEntityModel(config),
    project(x, relations) {
      const n = x.shape[0]!;
      const { codes, scale } = quantiseRows(projectionInput(config, x));
      // x M_j for every basis at once: no row needs a matrix of its own.
      const products = mul(toFloat(integerMatmul(codes, bases!)), scales!);
      const share = reshape(gather(coefficients!, relations), [n, 1, count]);
      const moved = reshape(matmul(share, reshape(products, [n, count, d])), [n, d]);
      return projectionOutput(config, add(mul(moved, scale), gather(biases!, relations)));
    },
  };
}
