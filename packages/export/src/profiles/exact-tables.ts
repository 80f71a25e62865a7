import { domainShape, familyOf, hasCentroids, type ModelConfig, type RelationDomains } from '@fuzzqe/model';
import { domainTables } from '../programs/served-centroids.ts';
import { bytesOfArray, type NamedTables, type StoredTensor, type TensorChunk } from './profile.ts';

/** The tables of the family that every profile stores in float32, and domains. */
export function exactTensors(config: ModelConfig): readonly StoredTensor[] {
  return [
    ...exactTables(config).map(
      ({ name, shape, isShared }): StoredTensor => ({
        name,
        dtype: 'float',
        shape,
        ...(isShared === true ? {} : { byRelation: true }),
      }),
    ),
    ...domainTensors(config),
  ];
}

/** The bytes of the exact tables. */
export function exactChunks(config: ModelConfig, tables: NamedTables): TensorChunk[] {
  return exactTables(config).map(({ name }) => exactChunk(name, tables[name]!));
}

/** The bytes of a table in float32. */
export function exactChunk(tensor: string, table: Float32Array): TensorChunk {
  return { tensor, bytes: bytesOfArray(table) };
}

const exactTables = (config: ModelConfig) =>
  familyOf(config)
    .tables(config)
    .filter(({ exact }) => exact === true);

/** The tables of domains; none where the model has no centroids. */
export function domainTensors(config: ModelConfig): readonly StoredTensor[] {
  if (!hasCentroids(config)) return [];
  const shape = domainShape(config);
  return [
    { name: domainTables.heads, dtype: 'int', shape, byRelation: true },
    { name: domainTables.tails, dtype: 'float', shape, byRelation: true },
  ];
}

/** The bytes of domains, behind those of other tables of relations; none where the model has no centroids. */
export function domainChunks(config: ModelConfig, domains: RelationDomains): TensorChunk[] {
  if (!hasCentroids(config)) return [];
  return [
    { tensor: domainTables.heads, bytes: bytesOfArray(domains.heads) },
    { tensor: domainTables.tails, bytes: bytesOfArray(domains.tails) },
  ];
}
