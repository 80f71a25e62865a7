import { parameter, type Tensor } from '@fuzzqe/core/tensor';
import type { ModelConfig, RelationTable } from '@fuzzqe/model';

/** The weights of bundles, by the names that their graphs give them. */
const tableNames = ['entityEmbeddings', 'relationWeights', 'relationBiases', 'relationBlocks'] as const;
export type TableName = (typeof tableNames)[number];

/** The weights of a model's bundle: relations are W_r and b_r, or blocks. */
export function tableNamesOf({ relationForm }: Pick<ModelConfig, 'relationForm'>): readonly TableName[] {
  return relationForm === 'blocks'
    ? ['entityEmbeddings', 'relationBlocks']
    : ['entityEmbeddings', 'relationWeights', 'relationBiases'];
}

/**
 * The shape of a bundle's weights.
 *
 * entityEmbeddings [|E|, d] is p_e of equation (1); relationWeights [|R|, d, d] and relationBiases [|R|, d] are W_r
 * and b_r of equation (2), so that a served graph has neither free numbers nor bases; relationBlocks [|R|, d] stands for
 * both where W_r is blocks.
 */
export function tableShape(
  { entities, relations, dimension: d }: Pick<ModelConfig, 'entities' | 'relations' | 'dimension'>,
  name: TableName,
): readonly number[] {
  return {
    entityEmbeddings: [entities, d],
    relationWeights: [relations, d, d],
    relationBiases: [relations, d],
    relationBlocks: [relations, d],
  }[name];
}

/** A bundle's weights as parameters of a program. */
export interface Tables {
  readonly entities: Tensor;
  /** What `relationProjection` takes. */
  readonly relations: RelationTable;
}

/** The tables as parameters of a program, in float32 or float16; blocks, which are few numbers, always in float32. */
export function tableParameters(config: ModelConfig, dtype: 'float' | 'half' = 'float'): Tables {
  const named = (name: TableName, as: 'float' | 'half' = dtype): Tensor =>
    parameter(name, tableShape(config, name), as);
  return {
    entities: named('entityEmbeddings'),
    relations:
      config.relationForm === 'blocks'
        ? { form: 'blocks', blocks: named('relationBlocks', 'float') }
        : { form: 'bases', weights: named('relationWeights'), bias: named('relationBiases') },
  };
}

/** 1 / ‖p_e‖ of every entity: a table of its own next to those of `tableNames`. */
export const lengthsTable = 'entityInverseLengths';

/** The shape of `lengthsTable`; undefined where every p_e has length 1, or none is divided by it, so that there is no such table. */
export function lengthsShape(config: ModelConfig): readonly number[] | undefined {
  return config.relationForm === 'blocks' || config.entityNormalisation === 'l2'
    ? undefined
    : [config.entities];
}

/** `1 / √(Σ_i p_e(i)² + 1e-12)`, computed in float64 and rounded once. Shapes: p_e [|E|, d] → [|E|]. */
export function inverseLengths({ entities, dimension: d }: ModelConfig, table: Float32Array): Float32Array {
  return Float32Array.from({ length: entities }, (_, e) => {
    let squares = 1e-12;
    for (let i = 0; i < d; i += 1) squares += table[e * d + i]! ** 2;
    return 1 / Math.sqrt(squares);
  });
}
