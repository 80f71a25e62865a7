import {
  logicOf,
  type ModelConfig,
  type Parameters,
  projectionInput,
  projectionOutput,
} from '@fuzzqe/core/model';
import {
  add,
  concat,
  gather,
  matmul,
  mul,
  parameter,
  reshape,
  slice,
  sum,
  toFloat,
} from '@fuzzqe/core/tensor';
import type { ServedModel } from '../programs/served-model.ts';
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
  refusal: quantisedRefusal,
  model: basisModel,
  tensors: (config) => [...quantisedEntityTensors(config), ...relationTensors(config)],
  convert(config, parameters): Conversion {
    let typical: Float64Array = new Float64Array();
    return {
      entities(table) {
        typical = meanProjectionInput(config, table);
        return quantisedEntities(config, table);
      },
      *biases(table) {
        const lost = yield* quantisedBases(config, parameters, typical);
        const biases = addLosses(config, parameters, table, lost);
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
 * All bases beside each other, `[M_1 … M_K]`, and a scale for each of their columns.
 *
 * Returns what rounding takes from a typical input's product with each of them. Shapes: typical [d] → [K · d].
 */
function* quantisedBases(
  { bases, dimension: d }: ModelConfig,
  parameters: Parameters,
  typical: Float64Array,
): Generator<TensorChunk, Float64Array> {
  const width = bases * d;
  const largest = new Float64Array(width);
  for (let j = 0; j < bases; j += 1)
    for (let row = 0; row < d; row += 1)
      for (let column = 0; column < d; column += 1) {
        const size = Math.abs(parameters.bases[(j * d + row) * d + column]!);
        if (size > largest[j * d + column]!) largest[j * d + column] = size;
      }
  const scales = Float32Array.from(largest, scaleOf);
  const lost = new Float64Array(width);
  for (let row = 0; row < d; row += 1) {
    const codes = new Int8Array(width);
    for (let at = 0; at < width; at += 1) {
      const j = Math.floor(at / d);
      const exact = parameters.bases[(j * d + row) * d + (at - j * d)]!;
      const code = codeOf(exact, scales[at]!);
      codes[at] = code;
      lost[at]! += typical[row]! * (exact - scales[at]! * code);
    }
    yield { tensor: 'relationBases', bytes: bytesOfArray(codes) };
  }
  yield { tensor: 'relationBasesScales', bytes: bytesOfArray(scales) };
  return lost;
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

/** How many numbers of the bases are floats at a time: all of them at once take more memory than everything else. */
const blockNumbers = 2 ** 20;

/** The rows of a table in blocks, from and to. */
function blocksOf(rows: number, most: number): [number, number][] {
  return Array.from({ length: Math.ceil(rows / most) }, (_, i) => [i * most, Math.min(rows, (i + 1) * most)]);
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
      // x M_j for every basis at once: no row needs a matrix of its own.
      const products = mul(residualQuantisedProduct(projectionInput(config, x), bases!), scales!);
      const share = reshape(gather(coefficients!, relations), [n, 1, count]);
      const projected = reshape(matmul(share, reshape(products, [n, count, d])), [n, d]);
      return projectionOutput(config, add(projected, gather(biases!, relations)));
    },
    projectTogether(x, relation) {
      // One W_r for all rows costs K·d² once, the bases K·d² for each of them.
      const shares = reshape(gather(coefficients!, relation), [count, 1]);
      const factors = reshape(mul(shares, reshape(scales!, [count, d])), [1, count * d]);
      const blocks = blocksOf(d, Math.ceil(blockNumbers / (count * d))).map(([from, to]) => {
        const scaled = mul(toFloat(slice(bases!, from, to, 0)), factors);
        return reshape(sum(reshape(scaled, [to - from, count, d]), [1]), [to - from, d]);
      });
      const matrix = blocks.length === 1 ? blocks[0]! : concat(blocks, 0);
      const product = matmul(projectionInput(config, x), matrix);
      return projectionOutput(config, add(product, gather(biases!, relation)));
    },
  };
}
