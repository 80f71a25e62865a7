import type { ModelConfig } from '@fuzzqe/model';
import { floatModel } from '../programs/float-model.ts';
import { inverseLengths, lengthsShape, lengthsTable, tableNamesOf, tableShape } from '../programs/tables.ts';
import {
  bytesOfArray,
  type Conversion,
  type ExportProfile,
  halfTable,
  type StoredTensor,
  type TensorChunk,
} from './profile.ts';
import { blockChunks, blockTensors } from './relation-blocks.ts';

/** Every table in float32: the form that all others are measured against. */
export const fp32: ExportProfile = {
  name: 'fp32',
  description: 'every table in float32',
  refusal: () => undefined,
  model: (config) => floatModel(config, 'float'),
  tensors: (config) => floatTensors(config, 'float'),
  convert: (config) => convert(config, (_, table) => bytesOfArray(table)),
};

/** The tables of `fp32` in float16; graphs turn what they read into float32 before they compute. */
export const fp16: ExportProfile = {
  name: 'fp16',
  description: 'every table in float16, computed in float32: half the bytes',
  refusal: () => undefined,
  model: (config) => floatModel(config, 'half'),
  tensors: (config) => floatTensors(config, 'half'),
  convert: (config) => convert(config, (tensor, table) => bytesOfArray(halfTable(tensor, table))),
};

function floatTensors(config: ModelConfig, dtype: 'float' | 'half'): readonly StoredTensor[] {
  const lengths = lengthsShape(config);
  return [
    ...tableNamesOf(config).flatMap((name): readonly StoredTensor[] =>
      name === 'relationBlocks'
        ? blockTensors(config)
        : [
            {
              name,
              dtype,
              shape: tableShape(config, name),
              ...(name === 'entityEmbeddings' ? { entityAxis: 0 } : { byRelation: true }),
            },
          ],
    ),
    // Of small numbers that every product is multiplied with: float16 would cost more than it saves.
    ...(lengths === undefined
      ? []
      : [{ name: lengthsTable, dtype: 'float', shape: lengths, entityAxis: 0 } as const]),
  ];
}

function convert(
  config: ModelConfig,
  bytesOf: (tensor: string, table: Float32Array) => Uint8Array,
): Conversion {
  const piece = (tensor: string, table: Float32Array): TensorChunk => ({
    tensor,
    bytes: bytesOf(tensor, table),
  });
  return {
    entities: (table) => [
      piece('entityEmbeddings', table),
      ...(lengthsShape(config) === undefined
        ? []
        : [{ tensor: lengthsTable, bytes: bytesOfArray(inverseLengths(config, table)) }]),
    ],
    relations: (table) =>
      config.relationForm === 'blocks' ? blockChunks(table) : [piece('relationBiases', table)],
    relation: (matrix) => [piece('relationWeights', matrix)],
    end: () => [],
  };
}
