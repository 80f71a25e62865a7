import type { Logic } from '@fuzzqe/core/logic';
import { logicOf, type ModelConfig, relationProjection, scores } from '@fuzzqe/core/model';
import { gather, type Tensor, topKIndices, topKValues } from '@fuzzqe/core/tensor';
import { tableParameters } from './tables.ts';

/**
 * The pieces that every exported program is made of.
 *
 * A profile is one implementation: it decides in which form tables are stored, and so how they are read; no program
 * knows more of them than this.
 */
export interface ServedModel {
  readonly config: ModelConfig;
  readonly logic: Logic;
  /** p_e of entities. Shapes: [n] → [n, d]. */
  anchor(entities: Tensor): Tensor;
  /** P_r of rows, one relation for each. Shapes: x [n, d], relations [n] → [n, d]. */
  project(x: Tensor, relations: Tensor): Tensor;
  /** The k best entities of each query and their scores, best first. Shapes: [n, d], k [1] → [n, k] each. */
  ranking(embedding: Tensor, k: Tensor): { readonly ids: Tensor; readonly scores: Tensor };
}

/** The model on the float32 tables of `tableParameters`. */
export function float32Model(config: ModelConfig): ServedModel {
  const tables = tableParameters(config);
  return {
    config,
    logic: logicOf(config),
    anchor: (entities) => gather(tables.entities, entities),
    project: (x, relations) => relationProjection(config, tables.relations, x, relations),
    ranking(embedding, k) {
      const all = scores(config, embedding, tables.entities);
      return { ids: topKIndices(all, k), scores: topKValues(all, k) };
    },
  };
}
