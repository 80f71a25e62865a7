import { type Logic, logics, sugenoNegation } from '@fuzzqe/core/logic';
import {
  type Dim,
  div,
  l2Norm,
  labelled,
  matmul,
  mean,
  mul,
  reshape,
  sum,
  type Tensor,
  transpose,
} from '@fuzzqe/core/tensor';
import type { ModelConfig } from '../../config/config.ts';
import type { Comparison } from '../family.ts';

/**
 * (8) The vector of an entity that queries are multiplied with: `s_e = p_e`, or `s_e = p_e / ‖p_e‖₂` for cosines.
 *
 * Shapes: p_e [..., d] → [..., d].
 */
export function scoredEntity(config: ModelConfig, entities: Tensor): Tensor {
  return config.score === 'innerProduct' ? entities : div(entities, l2Norm(entities, 1e-12));
}

/**
 * (8) Score: `φ(q, e) = S_qᵀ s_e` for every entity, or for m entities of each query's own.
 *
 * With cosines this is `‖S_q‖ cos(S_q, p_e)`: it ranks as the cosine does, and is not divided by ‖S_q‖, which is the
 * same for all entities, because `φ(q₁ ∧ q₂, e) ≤ φ(q₁, e)` and the other laws compare the scores of queries.
 * Shapes: query [n, d], p_e [|E|, d] → [n, |E|]; p_e [n, m, d] → [n, m]. Source: FuzzQE, "Score Function".
 *
 * @example
 * const { entities: count, dimension } = trained.config;
 * const entities = parameter('entities', [count, dimension]);
 * const all = scores(trained.config, input('query', 'float', ['batch', dimension]), entities);
 */
export function scores(config: ModelConfig, query: Tensor, entities: Tensor): Tensor {
  const scored = scoredEntity(config, entities);
  if (entities.shape.length === 2) return labelled('score', matmul(query, transpose(scored, [1, 0])));
  const [rows, count] = entities.shape as [Dim, Dim];
  const columns = reshape(query, [rows, config.dimension, 1]);
  return labelled('score', reshape(matmul(scored, columns), [rows, count]));
}

/** (8) Score of each query with one entity of its own. Shapes: query [n, d], p_e [n, d] → [n, 1]. */
export function scorePairs(config: ModelConfig, query: Tensor, entities: Tensor): Tensor {
  return labelled('score', sum(mul(query, scoredEntity(config, entities)), [-1]));
}

/**
 * (8) The mean score of each query over entities: that of their mean, `S_qᵀ mean_e s_e`, which takes no score of each.
 *
 * Shapes: query [n, d], p_e [m, d] or [n, m, d] → [n, 1].
 */
export function meanScore(config: ModelConfig, query: Tensor, entities: Tensor): Tensor {
  const scored = scoredEntity(config, entities);
  const [rows] = query.shape as [Dim, Dim];
  const shared = scored.shape.length === 2;
  const centre = mean(scored, [shared ? 0 : 1]);
  return sum(mul(query, shared ? centre : reshape(centre, [rows, config.dimension])), [-1]);
}

/** Products of queries with s_e: queries are scaled and not their scores, of which there are many more. */
export function compareProducts(config: ModelConfig, scaled: Tensor): Comparison {
  return {
    all: (entities) => scores(config, scaled, entities),
    pairs: (entities) => scorePairs(config, scaled, entities),
    mean: (entities) => meanScore(config, scaled, entities),
  };
}

/** (5) to (7) The logic of a model's embeddings of queries, with its negation. Answers as fuzzy sets have `logics` as they are. */
export function fuzzyLogic(config: ModelConfig): Logic {
  return { ...logics[config.logic], negation: sugenoNegation(config.negationLambda) };
}
