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

/** The tables as parameters of a program, in float32 or float16. */
export function tableParameters(config: ModelConfig, dtype: 'float' | 'half' = 'float'): Tables {
  const shapes = tableShapes(config);
  const named = (name: TableName): Tensor => parameter(name, shapes[name], dtype);
  return {
    entities: named('entityEmbeddings'),
    relations: { weights: named('relationWeights'), bias: named('relationBiases') },
  };
}

/** 1 / ‖p_e‖ of every entity: a table of its own beside those of `tableNames`. */
export const lengthsTable = 'entityInverseLengths';

/** The shape of `lengthsTable`; undefined where every p_e has length 1, so that there is no such table. */
export function lengthsShape(config: ModelConfig): readonly number[] | undefined {
  return config.entityNormalisation === 'l2' ? undefined : [config.entities];
}

/** `1 / √(Σ_i p_e(i)² + 1e-12)`, computed in float64 and rounded once. Shapes: p_e [|E|, d] → [|E|]. */
export function inverseLengths({ entities, dimension: d }: ModelConfig, table: Float32Array): Float32Array {
  return Float32Array.from({ length: entities }, (_, e) => {
    let squares = 1e-12;
    for (let i = 0; i < d; i += 1) squares += table[e * d + i]! ** 2;
    return 1 / Math.sqrt(squares);
  });
}
