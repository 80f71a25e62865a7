import { float32Model } from '../programs/served-model.ts';
import { tableNames, tableShapes } from '../programs/tables.ts';
import { bytesOfArray, type Conversion, type ExportProfile } from './profile.ts';

/** Every table in float32: the form that all others are measured against. */
export const fp32: ExportProfile = {
  name: 'fp32',
  description: 'every table in float32',
  refusal: () => undefined,
  model: float32Model,
  tensors: (config) =>
    tableNames.map((name) => ({
      name,
      dtype: 'float',
      shape: tableShapes(config)[name],
      ...(name === 'entityEmbeddings' ? {} : { byRelation: true }),
    })),
  convert(): Conversion {
    return {
      entities: (table) => [{ tensor: 'entityEmbeddings', bytes: bytesOfArray(table) }],
      biases: (table) => [{ tensor: 'relationBiases', bytes: bytesOfArray(table) }],
      relation: (matrix) => [{ tensor: 'relationWeights', bytes: bytesOfArray(matrix) }],
      end: () => [],
    };
  },
};
