import type { Logic } from '../logic/logic.ts';
import type { ModelConfig } from '../model/config.ts';
import { scoredEntity } from '../model/fuzzqe.ts';
import { l2Norm } from '../tensor/functions.ts';
import {
  add,
  div,
  exp,
  greaterOrEqual,
  input,
  log,
  matmul,
  max,
  maximum,
  minimum,
  mul,
  neg,
  scalar,
  slice,
  sub,
  sum,
  transpose,
  where,
} from '../tensor/ops/index.ts';
import { labelled, type Tensor } from '../tensor/tensor.ts';
import { graphCalibration } from './calibration.ts';

/** The numbers of a calibration as tensors [1]. */
export type CalibrationTensors = Readonly<Record<(typeof graphCalibration)[number], Tensor>>;

/** The input of a graph that computes degrees, `calibration` [5], number by number. */
export function calibrationInput(): { readonly input: Tensor; readonly numbers: CalibrationTensors } {
  const all = input('calibration', 'float', [graphCalibration.length]);
  const numbers = graphCalibration.map((name, at) => [name, slice(all, at, at + 1, 0)] as const);
  // fromEntries forgets the names, which are all there.
  return { input: all, numbers: Object.fromEntries(numbers) as CalibrationTensors };
}

/** What the degrees of links are computed from. */
export interface Links {
  /** P_r(p_h) of each link [m, d]. */
  readonly projected: Tensor;
  /** p_e of every entity [|E|, d]. */
  readonly entities: Tensor;
  /** 1 where (h, r, e) is recorded, else 0 [m, |E|]. */
  readonly recorded: Tensor;
  /** n_hr: how many tails are recorded [m, 1]. */
  readonly counts: Tensor;
}

/**
 * (9) Degrees of the links (h, r) of m pairs: the fuzzy set of their tails.
 *
 * `μ(e) = 1` where (h, r, e) is recorded, else `min(cap, w · max(n_hr, 1)^a · softmax_τ(cos(P_r(p_h), p_e)))`, with the
 * softmax over what is not recorded.
 * Shapes: → [m, |E|] in [0, 1].
 */
export function linkDegrees(config: ModelConfig, calibration: CalibrationTensors, links: Links): Tensor {
  const { projected, entities, recorded, counts } = links;
  const { temperature, cap, weight, exponent } = calibration;
  const directions = transpose(scoredEntity({ ...config, score: 'cosine' }, entities), [1, 0]);
  const cosines = matmul(div(projected, l2Norm(projected, 1e-12)), directions);
  const known = greaterOrEqual(recorded, scalar(0.5));
  // Not −∞: a row of which all is recorded has to stay a number. No cosine is below −1.
  const open = where(known, add(mul(temperature, scalar(-2)), scalar(-200)), mul(cosines, temperature));
  const weights = exp(sub(open, max(open, [-1])));
  const expected = mul(exp(mul(log(maximum(counts, scalar(1))), exponent)), weight);
  const predicted = minimum(mul(weights, div(expected, sum(weights, [-1]))), cap);
  return labelled('degrees', where(known, scalar(1), predicted));
}

/**
 * (10) The projection of a fuzzy set through the links of its members.
 *
 * `x_m(e) = μ_S(m) ∧ μ_m(e)`, `y(e) = max_m x_m(e)`, `μ(e) = y(e) ∨ (1 − exp(−s (Σ_m x_m(e) − y(e))))`: with s = 0 the
 * largest degree at which a member leads to e, and with s above 0 every further member adds to it.
 * Shapes: degrees [m, |E|], membership [m, 1] → [1, |E|] in [0, 1].
 */
export function projectedSet(logic: Logic, support: Tensor, degrees: Tensor, membership: Tensor): Tensor {
  const led = logic.conjunction(membership, degrees);
  const best = max(led, [0]);
  // Rounding can leave a sum of one member below that member.
  const others = maximum(sub(sum(led, [0]), best), scalar(0));
  return logic.disjunction(best, sub(scalar(1), exp(neg(mul(others, support)))));
}
