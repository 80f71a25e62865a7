import { constant, div, l2Norm, matmul, type Tensor, transpose } from '@fuzzqe/core/tensor';
import type { ModelConfig } from './config.ts';
import { queryDirections } from './fuzzqe.ts';

/**
 * s(e) of (9), the model's score of every entity as tail of links: `cos(P_r(p_h), p_e)`, or with blocks `2d (P_r(p_h) − its mean) · p_e`.
 *
 * Shapes: P_r(p_h) [m, d], p_e [|E|, d] → [m, |E|].
 */
export function linkScores(config: ModelConfig, projected: Tensor, entities: Tensor): Tensor {
  const { relationForm, entityNormalisation } = config;
  const isUnit = relationForm === 'blocks' || entityNormalisation === 'l2';
  const directions = isUnit ? entities : div(entities, l2Norm(entities, 1e-12));
  return matmul(queryDirections(config, constant([1], [1]), projected), transpose(directions, [1, 0]));
}
