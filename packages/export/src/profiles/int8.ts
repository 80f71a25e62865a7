import {
  add,
  gather,
  integerMatmul,
  logicOf,
  type ModelConfig,
  mul,
  parameter,
  projectionInput,
  projectionOutput,
  reshape,
  toFloat,
} from '@fuzzqe/core';
import type { ServedModel } from '../programs/served-model.ts';
import { bytesOfArray, type Conversion, type ExportProfile, type StoredTensor } from './profile.ts';
import { quantisedEntities, quantisedEntityModel, quantisedEntityTensors } from './quantised-entities.ts';
import { quantisedRefusal, quantisedTolerances } from './quantised-limits.ts';
import { quantiseRows } from './quantised-rows.ts';
import { quantiseColumns } from './symmetric-codes.ts';

/** W_r in int8 with a scale for each relation and column, entities in int8 with exact scores for the best. */
export const int8: ExportProfile = {
  name: 'int8',
  description: 'W_r and entities in int8, exact scores for the best candidates: for CPUs',
  tolerances: quantisedTolerances,
  refusal: quantisedRefusal,
  model: int8Model,
  tensors: (config) => [...quantisedEntityTensors(config), ...relationTensors(config)],
  convert(config): Conversion {
    const d = config.dimension;
    const scales = new Float32Array(config.relations * d);
    let relation = 0;
    return {
      entities: (table) => quantisedEntities(config, table),
      biases: (table) => [{ tensor: 'relationBiases', bytes: bytesOfArray(table) }],
      relation(matrix) {
        const quantised = quantiseColumns(matrix, d);
        scales.set(quantised.scales, relation * d);
        relation += 1;
        return [{ tensor: 'relationWeights', bytes: bytesOfArray(quantised.codes) }];
      },
      end: () => [{ tensor: 'relationWeightsScales', bytes: bytesOfArray(scales) }],
    };
  },
};

function relationTensors({ relations, dimension: d }: ModelConfig): readonly StoredTensor[] {
  return [
    { name: 'relationBiases', dtype: 'float', shape: [relations, d], byRelation: true },
    { name: 'relationWeights', dtype: 'int8', shape: [relations, d, d], byRelation: true },
    { name: 'relationWeightsScales', dtype: 'float', shape: [relations, d], byRelation: true },
  ];
}

function int8Model(config: ModelConfig): ServedModel {
  const d = config.dimension;
  const [biases, weights, scales] = relationTensors(config).map(({ name, dtype, shape }) =>
    parameter(name, shape, dtype),
  );
  return {
    config,
    logic: logicOf(config),
    ...quantisedEntityModel(config),
    project(x, relations) {
      const n = x.shape[0]!;
      const { codes, scale } = quantiseRows(projectionInput(config, x));
      const products = integerMatmul(reshape(codes, [n, 1, d]), gather(weights!, relations));
      const moved = mul(mul(toFloat(reshape(products, [n, d])), gather(scales!, relations)), scale);
      return projectionOutput(config, add(moved, gather(biases!, relations)));
    },
  };
}
