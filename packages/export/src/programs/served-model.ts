import type { Logic } from '@fuzzqe/core/logic';
import type { ModelConfig } from '@fuzzqe/core/model';
import type { Tensor } from '@fuzzqe/core/tensor';

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
  /** P_r of rows along one relation, whose matrix is read once. Shapes: x [n, d], relation [1] → [n, d]. */
  projectTogether(x: Tensor, relation: Tensor): Tensor;
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
  /**
   * The same in parts of the entities, one after the other, so that what follows finds the numbers of a part in the
   * processor's cache; each with the rows of x along `axis`.
   */
  linkLogitsInParts(temperature: Tensor, x: Tensor): readonly LinkLogits[];
  /** The same for the entities `candidates` [c]. */
  linkLogitsAt(temperature: Tensor, x: Tensor, candidates: Tensor): LinkLogits;
}

/** τ cos(x, p_e) of rows and some entities. */
export interface LinkLogits {
  /** [n, entities] where `axis` is 0, [entities, n] where it is 1. */
  readonly logits: Tensor;
  readonly axis: 0 | 1;
}
