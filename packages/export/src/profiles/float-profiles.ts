import { familyOf, type ModelConfig, matricesTable } from '@fuzzqe/model';
import { floatModel } from '../programs/float-model.ts';
import { entityTable, inverseLengths, lengthsShape, lengthsTable, tablesOf } from '../programs/tables.ts';
import { domainTensors, exactChunk } from './exact-tables.ts';
import {
  bytesOfArray,
  type Conversion,
  type ExportProfile,
  halfTable,
  type StoredTensor,
  type TensorChunk,
} from './profile.ts';

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
  refusal: (config) =>
    familyOf(config).distances === undefined
      ? undefined
      : `distances of ${familyOf(config).name} do not tell the nearest entities apart in float16`,
  model: (config) => floatModel(config, 'half'),
  tensors: (config) => floatTensors(config, 'half'),
  convert: (config) => convert(config, (tensor, table) => bytesOfArray(halfTable(tensor, table))),
};

function floatTensors(config: ModelConfig, dtype: 'float' | 'half'): readonly StoredTensor[] {
  const lengths = lengthsShape(config);
  return [
    ...tablesOf(config).map(
      ({ name, shape, exact, isShared }): StoredTensor => ({
        name,
        dtype: exact === true ? 'float' : dtype,
        shape,
        ...(name === entityTable ? { entityAxis: 0 } : isShared === true ? {} : { byRelation: true }),
      }),
    ),
    ...domainTensors(config),
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
      piece(entityTable, table),
      ...(lengthsShape(config) === undefined
        ? []
        : [{ tensor: lengthsTable, bytes: bytesOfArray(inverseLengths(config, table)) }]),
    ],
    tables: (tables) =>
      familyOf(config)
        .tables(config)
        .filter(({ name }) => name !== matricesTable)
        .map(({ name, exact }) =>
          exact === true ? exactChunk(name, tables[name]!) : piece(name, tables[name]!),
        ),
    relation: (matrix) => [piece(matricesTable, matrix)],
    end: () => [],
  };
}
