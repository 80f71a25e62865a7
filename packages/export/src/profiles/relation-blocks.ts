import type { ModelConfig } from '@fuzzqe/core/model';
import { tableShape } from '../programs/tables.ts';
import { bytesOfArray, type StoredTensor, type TensorChunk } from './profile.ts';

/** The blocks of W_r as every profile stores them: in float32, since they are as few numbers as so many entities have. */
export function blockTensor(config: ModelConfig): StoredTensor {
  return {
    name: 'relationBlocks',
    dtype: 'float',
    shape: tableShape(config, 'relationBlocks'),
    byRelation: true,
  };
}

/** Their bytes. Shapes: [|R|, d]. */
export function blockChunks(table: Float32Array): TensorChunk[] {
  return [{ tensor: 'relationBlocks', bytes: bytesOfArray(table) }];
}
