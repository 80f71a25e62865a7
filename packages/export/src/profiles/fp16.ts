import { logicOf, type ModelConfig, projectionInput, projectionOutput, scores } from '@fuzzqe/core/model';
import {
  add,
  gather,
  matmul,
  parameter,
  reshape,
  type Tensor,
  toFloat,
  topKIndices,
  topKValues,
} from '@fuzzqe/core/tensor';
import type { ServedModel } from '../programs/served-model.ts';
import { fp32 } from './fp32.ts';
import { bytesOfArray, type Conversion, type ExportProfile, halfTable, type TensorChunk } from './profile.ts';

/** The tables of `fp32` in float16; graphs turn what they read into float32 before they compute. */
export const fp16: ExportProfile = {
  name: 'fp16',
  description: 'every table in float16, computed in float32: half the bytes',
  refusal: () => undefined,
  model: float16Model,
  tensors: (config) => fp32.tensors(config).map((tensor) => ({ ...tensor, dtype: 'half' })),
  convert(): Conversion {
    const piece = (tensor: string, table: Float32Array): TensorChunk[] => [
      { tensor, bytes: bytesOfArray(halfTable(tensor, table)) },
    ];
    return {
      entities: (table) => piece('entityEmbeddings', table),
      biases: (table) => piece('relationBiases', table),
      relation: (matrix) => piece('relationWeights', matrix),
      end: () => [],
    };
  },
};

function float16Model(config: ModelConfig): ServedModel {
  const [entities, weights, biases] = fp32
    .tensors(config)
    .map(({ name, shape }) => parameter(name, shape, 'half')) as [Tensor, Tensor, Tensor];
  const d = config.dimension;
  const rows = (table: Tensor, ids: Tensor): Tensor => toFloat(gather(table, ids));
  return {
    config,
    logic: logicOf(config),
    anchor: (ids) => rows(entities, ids),
    project(x, relations) {
      const n = x.shape[0]!;
      const each = reshape(projectionInput(config, x), [n, 1, d]);
      const projected = reshape(matmul(each, rows(weights, relations)), [n, d]);
      return projectionOutput(config, add(projected, rows(biases, relations)));
    },
    ranking(embedding, k) {
      const all = scores(config, embedding, toFloat(entities));
      return { ids: topKIndices(all, k), scores: topKValues(all, k) };
    },
  };
}
