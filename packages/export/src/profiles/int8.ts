import { add, gather, mul, parameter, type Tensor } from '@fuzzqe/core/tensor';
import {
  familyOf,
  logicOf,
  type ModelConfig,
  projectionInput,
  projectionOutput,
  traitsOf,
} from '@fuzzqe/model';
import type { ServedModel } from '../programs/served-model.ts';
import { tableParameters } from '../programs/tables.ts';
import type { CodeLayout } from './entity-codes.ts';
import { exactChunks, exactTensors } from './exact-tables.ts';
import { meanProjectionInput } from './mean-projection-input.ts';
import { bytesOfArray, type Conversion, type ExportProfile, type StoredTensor } from './profile.ts';
import {
  quantisedEntities,
  quantisedEntityModel,
  quantisedEntityTensors,
  quantisedRefusal,
} from './quantised-entities.ts';
import { residualQuantisedProduct } from './residual-quantised-product.ts';
import { quantiseColumns, roundingError } from './symmetric-codes.ts';

/** W_r in int8 with a scale for each relation and column, entities in int8 with exact scores for the best. */
export const int8: ExportProfile = {
  name: 'int8',
  description: 'W_r and entities in int8, exact scores for the best candidates: for CPUs',
  refusal: quantisedRefusal,
  model: int8Model,
  tensors: (config, layout = 'matrix') => [
    ...quantisedEntityTensors(config, layout),
    ...(traitsOf(config).hasMatrices ? relationTensors(config) : exactTensors(config)),
  ],
  convert(config, _, layout = 'matrix'): Conversion {
    if (!traitsOf(config).hasMatrices)
      return {
        entities: (table) => quantisedEntities(config, table, layout),
        tables: (tables) => exactChunks(config, tables),
        end: () => [],
      };
    const d = config.dimension;
    const scales = new Float32Array(config.relations * d);
    let biases: Float32Array = new Float32Array();
    let typical: Float64Array = new Float64Array();
    let relation = 0;
    return {
      entities(table) {
        typical = meanProjectionInput(config, table);
        return quantisedEntities(config, table, layout);
      },
      tables({ relationBiases }) {
        biases = Float32Array.from(relationBiases!);
        return [];
      },
      relation(matrix) {
        const quantised = quantiseColumns(matrix, d);
        scales.set(quantised.scales, relation * d);
        const lost = roundingError(matrix, quantised, typical);
        for (let j = 0; j < d; j += 1) biases[relation * d + j]! += lost[j]!;
        relation += 1;
        return [{ tensor: 'relationWeights', bytes: bytesOfArray(quantised.codes) }];
      },
      end: () => [
        { tensor: 'relationWeightsBiases', bytes: bytesOfArray(biases) },
        { tensor: 'relationWeightsScales', bytes: bytesOfArray(scales) },
      ],
    };
  },
};

function relationTensors({ relations, dimension: d }: ModelConfig): readonly StoredTensor[] {
  return [
    { name: 'relationWeights', dtype: 'int8', shape: [relations, d, d], byRelation: true },
    { name: 'relationWeightsBiases', dtype: 'float', shape: [relations, d], byRelation: true },
    { name: 'relationWeightsScales', dtype: 'float', shape: [relations, d], byRelation: true },
  ];
}

function int8Model(config: ModelConfig, layout: CodeLayout = 'matrix'): ServedModel {
  const shared = { config, logic: logicOf(config), ...quantisedEntityModel(config, layout) };
  if (!traitsOf(config).hasMatrices) {
    const tables = tableParameters(config);
    return {
      ...shared,
      project: (x, relations) =>
        familyOf(config).projectFrom(config, x, (table) => gather(tables[table]!, relations), {}),
    };
  }
  const [weights, biases, scales] = relationTensors(config).map(({ name, dtype, shape }) =>
    parameter(name, shape, dtype),
  );
  const output = (product: Tensor, relations: Tensor): Tensor =>
    projectionOutput(config, add(mul(product, gather(scales!, relations)), gather(biases!, relations)));
  return {
    ...shared,
    project(x, relations) {
      const product = residualQuantisedProduct(projectionInput(config, x), gather(weights!, relations));
      return output(product, relations);
    },
  };
}
