import {
  add,
  constant,
  type Dim,
  div,
  gather,
  labelled,
  matmul,
  max,
  mean,
  mul,
  neg,
  reshape,
  scalar,
  square,
  sub,
  sum,
  type Tensor,
} from '@fuzzqe/core/tensor';
import type { ModelConfig } from '../config/config.ts';
import { domainShape, hasCentroids, type RelationDomains } from '../config/relation-domains.ts';
import { scores } from '../families/fuzzqe/scores.ts';

/**
 * (3) Centroid of the recorded heads of a relation as a vector ranks them: `C_r(S) = Σ_h w_h p_h / Σ_h w_h` over its domain, with
 * `w_h = n_hr (((φ_h − φ_min) / (φ_max − φ_min + 1 / 32d))⁸ + 1e-9)`.
 *
 * n_hr is how many tails h has along r, φ_max and φ_min are the highest and the lowest score among the heads: what scores have in common does
 * not matter, and their scale only where they lie so near to each other that rounding would order them. Shapes: x [n, d], p_h [n, m, d], n_hr [n, m] → [n, d], in [0,1]^d with a sum of 1 as p_h. Source: not
 * in the paper; the read-out of an associative memory (Ramsauer et al., "Hopfield Networks is All You Need", ICLR 2021) with a power in
 * place of the exponential.
 */
export function centroid(config: ModelConfig, x: Tensor, heads: Tensor, tails: Tensor): Tensor {
  const [rows, count] = heads.shape as [Dim, Dim];
  // What all entities have alike would take digits of what tells them apart.
  const all = scores(config, sub(x, mean(x, [-1])), heads);
  const lowest = neg(max(neg(all), [-1]));
  const range = add(sub(max(all, [-1]), lowest), scalar(1 / (32 * config.dimension)));
  const share = div(sub(all, lowest), range);
  // Where scores are equal but for their rounding, about 1e-7 / d, heads weigh by their tails.
  const weights = mul(tails, add(square(square(square(share))), scalar(1e-9)));
  const sums = reshape(matmul(reshape(weights, [rows, 1, count]), heads), [rows, config.dimension]);
  return labelled('centroid', div(sums, sum(weights, [-1])));
}

/** C_r of (3) for rows with a relation each, undefined where the model has none. Shapes: p_e [|E|, d]; x [n, d], relations [n] → [n, d]. */
export function centroidsIn(
  config: ModelConfig,
  entities: Tensor,
  domains: RelationDomains,
): ((x: Tensor, relations: Tensor) => Tensor) | undefined {
  if (!hasCentroids(config)) return undefined;
  const shape = domainShape(config);
  const heads = constant(Array.from(domains.heads), shape, 'int');
  const tails = constant(Array.from(domains.tails), shape);
  return (x, relations) =>
    centroid(config, x, gather(entities, gather(heads, relations)), gather(tails, relations));
}
