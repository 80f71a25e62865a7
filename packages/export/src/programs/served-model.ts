import type { Logic } from '@fuzzqe/core/logic';
import type { Tensor } from '@fuzzqe/core/tensor';
import type { ModelConfig } from '@fuzzqe/model';

/**
 * The pieces that every exported program is made of.
 *
 * A profile is one implementation: it decides in which form tables are stored, and so how they are read; no program
 * knows more of them than this.
 */
export interface ServedModel {
  readonly config: ModelConfig;
  readonly logic: Logic;
  /** p_e of entities. Shapes: [...n] → [...n, d]. */
  anchor(entities: Tensor): Tensor;
  /** P_r of rows, one relation for each. Shapes: x [n, d], relations [n] → [n, d]. */
  project(x: Tensor, relations: Tensor): Tensor;
  /** C_r of (3); undefined where projections start from vectors as they are. Shapes: x [n, d], relations [n] → [n, d]. */
  readonly centroid: ((x: Tensor, relations: Tensor) => Tensor) | undefined;
  /**
   * The k best entities of each query and their scores, best first: of those that are allowed, and behind them others with
   * score −1. All are allowed where `allowed` is undefined. Shapes: embedding [n, d], allowed [n, |E|], k [1] → [n, k] each.
   */
  ranking(
    embedding: Tensor,
    allowed: Tensor | undefined,
    k: Tensor,
  ): { readonly ids: Tensor; readonly scores: Tensor };
  /** τ cos(x, p_e) of rows and all entities. Shapes: τ [1], x [n, d] → [n, |E|]. */
  linkLogits(temperature: Tensor, x: Tensor): Tensor;
}
