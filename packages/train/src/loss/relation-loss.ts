import {
  logSumExp,
  matmul,
  mean,
  mul,
  reshape,
  scalar,
  sub,
  sum,
  type Tensor,
  transpose,
} from '@fuzzqe/core/tensor';
import { familyOf, type ModelConfig } from '@fuzzqe/model';

/** The two ends of links, each with its relation, and all relations to tell it from. */
export interface LinkEnds {
  /** p_e of heads [n, d] and of tails: A of each head [n · A, d]. */
  readonly heads: Tensor;
  readonly tails: Tensor;
  /** The blocks of each link's relation [n, d] and of all relations [|R|, d]. */
  readonly blocks: Tensor;
  readonly relations: Tensor;
  /** How much each tail counts [n, A], 1 in all for each head; absent where each has one. */
  readonly shares?: Tensor | undefined;
  /** What scores are multiplied by in the loss: τ [1]. */
  readonly scale: Tensor;
}

/**
 * Cross-entropy of a link's relation, by its ends, against all relations, for families that have `relationFeatures`.
 *
 * `L = ln Σ_r' exp(z_r') − z_r` with `z_r = τ/2 · (u_h W_r) · u_t` and u of (3): the score of the link where σ(y) is
 * 1/2 + y/4, from which scores are not far, so that no relation needs a projection. Shapes: see LinkEnds → [1, 1].
 * Source: Chen, Minervini, Riedel and Stenetorp, "Relation Prediction as an Auxiliary Training Objective for Improving
 * Multi-Relational Graph Representations", AKBC 2021.
 */
export function relationLoss(
  model: ModelConfig,
  { heads, tails, blocks, relations, shares, scale }: LinkEnds,
): Tensor {
  const d = relations.shape[1]!;
  const count = heads.shape[0] as number;
  const each = (tails.shape[0] as number) / count;
  const ofRelation = familyOf(model).relationFeatures!(model, heads, tails);
  const features = mul(reshape(ofRelation, [count * each, d]), mul(scale, scalar(0.5)));
  const all = logSumExp(matmul(features, transpose(relations, [1, 0])));
  const own = sum(mul(reshape(features, [count, each, d]), reshape(blocks, [count, 1, d])), [-1]);
  const entropy = sub(reshape(all, [count, each]), reshape(own, [count, each]));
  const ofLink = shares === undefined ? mean(entropy, [1]) : sum(mul(entropy, shares), [1]);
  return mean(ofLink, [0, 1]);
}
