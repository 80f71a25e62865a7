import type { ModelConfig } from '@fuzzqe/core/model';
import { parameter, type Tensor } from '@fuzzqe/core/tensor';

/** The weights of a bundle, by the names that its graphs give them. */
export const tableNames = ['entityEmbeddings', 'relationWeights', 'relationBiases'] as const;
export type TableName = (typeof tableNames)[number];

/**
 * The shapes of a bundle's weights.
 *
 * entityEmbeddings [|E|, d] is p_e of equation (1); relationWeights [|R|, d, d] and relationBiases [|R|, d] are W_r
 * and b_r of equation (2), so that a served graph has neither free numbers nor bases.
 */
export function tableShapes(config: ModelConfig): Readonly<Record<TableName, readonly number[]>> {
  const { entities, relations, dimension: d } = config;
  return {
    entityEmbeddings: [entities, d],
    relationWeights: [relations, d, d],
    relationBiases: [relations, d],
  };
}

/** A bundle's weights as parameters of a program. */
export interface Tables {
  readonly entities: Tensor;
  /** What `relationProjection` takes. */
  readonly relations: { readonly weights: Tensor; readonly bias: Tensor };
}

/** The parameters that every exported program shares. */
export function tableParameters(config: ModelConfig): Tables {
  const shapes = tableShapes(config);
  const named = (name: TableName): Tensor => parameter(name, shapes[name]);
  return {
    entities: named('entityEmbeddings'),
    relations: { weights: named('relationWeights'), bias: named('relationBiases') },
  };
}
