import { add, gather, matmul, mul, parameter, reshape } from '@fuzzqe/core/tensor';
import {
  basesOf,
  familyOf,
  logicOf,
  type ModelConfig,
  type Parameters,
  projectionInput,
  projectionOutput,
} from '@fuzzqe/model';
import type { ServedModel } from '../programs/served-model.ts';
import type { CodeLayout } from './entity-codes.ts';
import { meanProjectionInput } from './mean-projection-input.ts';
import {
  bytesOfArray,
  type Conversion,
  type ExportProfile,
  type StoredTensor,
  type TensorChunk,
} from './profile.ts';
import {
  quantisedEntities,
  quantisedEntityModel,
  quantisedEntityTensors,
  quantisedRefusal,
} from './quantised-entities.ts';
import { residualQuantisedProduct } from './residual-quantised-product.ts';
import { codeOf, scaleOf } from './symmetric-codes.ts';

/** The bases in int8 instead of W_r: small where there are more relations than bases, at the cost of time. */
export const int8Basis: ExportProfile = {
  name: 'int8-basis',
  description: 'bases and entities in int8, combined at every run: the smallest with many relations',
  refusal: (config) =>
    quantisedRefusal(config) ??
    (familyOf(config).parameters(config).bases === undefined
      ? `its relations are ${familyOf(config).name} and have no bases; int8 is as small`
      : undefined),
  model: basisModel,
  tensors: (config, layout = 'matrix') => [
    ...quantisedEntityTensors(config, layout),
    ...relationTensors(config),
  ],
  convert(config, parameters, layout = 'matrix'): Conversion {
    let typical: Float64Array = new Float64Array();
    return {
      entities(table) {
        typical = meanProjectionInput(config, table);
        return quantisedEntities(config, table, layout);
      },
      *tables({ relationBiases: table }) {
        const lost = yield* quantisedBases(config, parameters, typical);
        const biases = addLosses(config, parameters, table!, lost);
        yield { tensor: 'relationBiases', bytes: bytesOfArray(biases) };
        yield { tensor: 'relationCoefficients', bytes: bytesOfArray(parameters.coefficients) };
      },
      end: () => [],
    };
  },
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

/**
 * All bases next to each other, `[M_1 … M_K]`, and a scale for each of their columns.
 *
 * Returns what rounding takes from a typical input's product with each of them. Shapes: typical [d] → [K · d].
 */
function* quantisedBases(
  { bases, dimension: d }: ModelConfig,
  parameters: Parameters,
  typical: Float64Array,
): Generator<TensorChunk, Float64Array> {
  const width = bases * d;
  const { bases: numbers } = basesOf(parameters);
  const largest = new Float64Array(width);
  for (let j = 0; j < bases; j += 1)
    for (let row = 0; row < d; row += 1)
      for (let column = 0; column < d; column += 1) {
        const size = Math.abs(numbers[(j * d + row) * d + column]!);
        if (size > largest[j * d + column]!) largest[j * d + column] = size;
      }
  const scales = sharedScales(largest, bases);
  const lost = new Float64Array(width);
  for (let row = 0; row < d; row += 1) {
    const codes = new Int8Array(width);
    for (let at = 0; at < width; at += 1) {
      const j = Math.floor(at / d);
      const exact = numbers[(j * d + row) * d + (at - j * d)]!;
      const code = codeOf(exact, scales[at]!);
      codes[at] = code;
      lost[at]! += typical[row]! * (exact - scales[at]! * code);
    }
    yield { tensor: 'relationBases', bytes: bytesOfArray(codes) };
  }
  yield { tensor: 'relationBasesScales', bytes: bytesOfArray(scales) };
  return lost;
}

/**
 * A scale for each column of each basis: a factor of the basis times one of the column.
 *
 * With such scales `Σ_j α_rj M_j` is a product of matrices, since all columns of a basis have the same share in a scale.
 * Shapes: the largest number of each column [K · d] → [K · d].
 */
function sharedScales(largest: Float64Array, bases: number): Float32Array {
  const d = largest.length / bases;
  const all = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
  const orOne = (value: number): number => (value === 0 ? 1 : value);
  const columnsOf = (j: number): Float64Array => largest.subarray(j * d, (j + 1) * d);
  const typical = all(bases, (j) => orOne(columnsOf(j).reduce((sum, size) => sum + size, 0) / d));
  const ofColumn = all(d, (c) => orOne(Math.max(...typical.map((size, j) => largest[j * d + c]! / size))));
  const factors = all(bases, (j) => Math.max(...columnsOf(j).map((size, c) => size / ofColumn[c]!)));
  // A basis of zeros must not be the largest: coefficients times these factors share their codes.
  const ofZeros = Math.min(1, ...factors.filter((factor) => factor > 0));
  const ofBasis = factors.map((factor) => (factor === 0 ? ofZeros : factor));
  return Float32Array.from(largest, (_, at) => scaleOf(ofBasis[Math.floor(at / d)]! * ofColumn[at % d]!));
}

/** b_r with what rounding takes from every basis, `Σ_j α_rj lost_j`. */
function addLosses(
  { relations, bases, dimension: d }: ModelConfig,
  { coefficients }: Parameters,
  table: Float32Array,
  lost: Float64Array,
): Float32Array {
  return Float32Array.from({ length: relations * d }, (_, at) => {
    const relation = Math.floor(at / d);
    let sum = table[at]!;
    for (let j = 0; j < bases; j += 1)
      sum += coefficients[relation * bases + j]! * lost[j * d + (at - relation * d)]!;
    return sum;
  });
}

function basisModel(config: ModelConfig, layout: CodeLayout = 'matrix'): ServedModel {
  const { dimension: d, bases: count } = config;
  const [bases, scales, biases, coefficients] = relationTensors(config).map(({ name, dtype, shape }) =>
    parameter(name, shape, dtype),
  );
  return {
    config,
    logic: logicOf(config),
    ...quantisedEntityModel(config, layout),
    project(x, relations) {
      const n = x.shape[0]!;
      // x M_j for every basis at once: no row needs a matrix of its own.
      const products = mul(residualQuantisedProduct(projectionInput(config, x), bases!), scales!);
      const share = reshape(gather(coefficients!, relations), [n, 1, count]);
      const projected = reshape(matmul(share, reshape(products, [n, count, d])), [n, d]);
      return projectionOutput(config, add(projected, gather(biases!, relations)));
    },
  };
}
