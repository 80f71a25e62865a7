import { domainShape, hasCentroids, type ModelConfig, type RelationDomains } from '@fuzzqe/model';
import { domainTables } from '../programs/served-centroids.ts';
import { tableShape } from '../programs/tables.ts';
import { bytesOfArray, type StoredTensor, type TensorChunk } from './profile.ts';

/** What every profile stores of relations by blocks alike: the blocks of W_r, which are as few numbers as so many entities have, and domains. */
export function blockTensors(
  config: ModelConfig,
): readonly [blocks: StoredTensor, ...domains: StoredTensor[]] {
  const blocks: StoredTensor = {
    name: 'relationBlocks',
    dtype: 'float',
    shape: tableShape(config, 'relationBlocks'),
    byRelation: true,
  };
  if (!hasCentroids(config)) return [blocks];
  const shape = domainShape(config);
  return [
    blocks,
    { name: domainTables.heads, dtype: 'int', shape, byRelation: true },
    { name: domainTables.tails, dtype: 'float', shape, byRelation: true },
  ];
}

/** The bytes of the blocks. Shapes: [|R|, d]. */
export function blockChunks(table: Float32Array): TensorChunk[] {
  return [{ tensor: 'relationBlocks', bytes: bytesOfArray(table) }];
}

/** The bytes of domains, behind those of the blocks; none where the model has no centroids. */
export function domainChunks(config: ModelConfig, domains: RelationDomains): TensorChunk[] {
  if (!hasCentroids(config)) return [];
  return [
    { tensor: domainTables.heads, bytes: bytesOfArray(domains.heads) },
    { tensor: domainTables.tails, bytes: bytesOfArray(domains.tails) },
  ];
}
