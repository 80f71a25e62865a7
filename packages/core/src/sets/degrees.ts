import type { Logic } from '../logic/logic.ts';
import type { ModelConfig } from '../model/config.ts';
import { queryDirections } from '../model/fuzzqe.ts';
import { evaluate } from '../tensor/evaluate.ts';
import { l2Norm, logSumExp } from '../tensor/functions.ts';
import { numeric } from '../tensor/numeric.ts';
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
import { createProgram } from '../tensor/program.ts';
import { labelled, type Tensor } from '../tensor/tensor.ts';
import { type Calibration, calibrationValues, graphCalibration } from './calibration.ts';

/** The numbers of a calibration as tensors [1]. */
export type CalibrationTensors = Readonly<Record<(typeof graphCalibration)[number], Tensor>>;

/** The input of a graph that computes degrees, `calibration` [3], number by number. */
export function calibrationInput(): { readonly input: Tensor; readonly numbers: CalibrationTensors } {
  const all = input('calibration', 'float', [graphCalibration.length]);
  const numbers = graphCalibration.map((name, at) => [name, slice(all, at, at + 1, 0)] as const);
  // fromEntries forgets the names, which are all there.
  return { input: all, numbers: Object.fromEntries(numbers) as CalibrationTensors };
}

/** The lowest predicted degree: a product of three is still a number of single precision. */
export const lowestDegree = 1e-12;

/**
 * The directions of entities, whose products with unit vectors are cosines; with blocks p_e.
 *
 * Shapes: p_e [|E|, d] → [|E|, d], of length 1 without blocks.
 */
export function entityDirections(
  { relationForm, entityNormalisation }: ModelConfig,
  entities: Tensor,
): Tensor {
  return relationForm === 'blocks' || entityNormalisation === 'l2'
    ? entities
    : div(entities, l2Norm(entities, 1e-12));
}

/**
 * τ · cos(P_r(p_h), p_e), or with blocks τ · 2d (P_r(p_h) − its mean) · p_e, from which degrees and partitions follow.
 *
 * Shapes: P_r(p_h) [m, d], directions [|E|, d], τ [1] → [m, |E|].
 */
export function linkLogits(
  config: ModelConfig,
  temperature: Tensor,
  projected: Tensor,
  directions: Tensor,
): Tensor {
  // τ belongs to the d numbers of a link rather than to its |E| products.
  return matmul(queryDirections(config, temperature, projected), transpose(directions, [1, 0]));
}

/**
 * (9) Predicted degrees of m links: `p(e) = min(cap, max(1e-12, exp(τ cos + b)))`, b by `linkOffsets`.
 *
 * A degree depends on its link and its entity alone, so candidates can be computed without the others.
 * Shapes: logits by `linkLogits` [m, |E|], offsets [m, 1] → [m, |E|] in [1e-12, cap].
 */
export function predictedDegrees({ cap }: CalibrationTensors, logits: Tensor, offsets: Tensor): Tensor {
  // The bounds apply to the logarithm: runtimes take longer for exponentials that leave the numbers of single precision.
  const bounded = minimum(maximum(add(logits, offsets), scalar(Math.log(lowestDegree))), log(cap));
  return labelled('degrees', exp(bounded));
}

/**
 * (9) of single candidates, without κ, by the program that computes whole rows.
 *
 * Shapes: cosines and offsets [n] → [n].
 */
export function candidateDegrees(
  calibration: Calibration,
  cosines: readonly number[],
  offsets: readonly number[],
): readonly number[] {
  const [logits, shifts] = [input('logits', 'float', ['n', 1]), input('offsets', 'float', ['n', 1])];
  const { input: values, numbers } = calibrationInput();
  const degrees = predictedDegrees(numbers, mul(logits, numbers.temperature), shifts);
  const program = createProgram({
    name: 'candidates',
    inputs: [logits, shifts, values],
    outputs: { degrees },
  });
  const column = [cosines.length, 1];
  const found = evaluate(program, {
    logits: numeric(column, cosines),
    offsets: numeric(column, offsets),
    calibration: numeric([graphCalibration.length], calibrationValues(calibration)),
  });
  return Array.from(found['degrees']!.data);
}

/** What the projection of a set is computed from. */
export interface SetProjection extends SetLinks {
  /**
   * Of the members with a recorded link to e the largest S(m), and the sum of their S(m), then κ_r(e) [3, |E|]:
   * `recordedRows`.
   */
  readonly recorded: Tensor;
}

/** The predicted links of the members of a set, with members along the first axis or along the second. */
export interface SetLinks {
  /** (9) of the links of m members [m, |E|], or [|E|, m]. */
  readonly predicted: Tensor;
  /** Their degrees as members S(m) [m, 1], or [1, m]. */
  readonly membership: Tensor;
}

/** How far predicted links lead to entities. */
export interface Reached {
  /** The largest S(m) ∧ p_m(e). */
  readonly best: Tensor;
  /** The sum of S(m) ∧ p_m(e). */
  readonly total: Tensor;
}

/** `max_m S(m) ∧ p_m(e)` and `Σ_m S(m) ∧ p_m(e)`. Shapes: members along `axis` → [1, |E|], or [|E|, 1] where that is 1. */
export function reachedBy(logic: Logic, { predicted, membership }: SetLinks, axis: 0 | 1): Reached {
  const reached = logic.conjunction(membership, predicted);
  return { best: max(reached, [axis]), total: sum(reached, [axis]) };
}

/**
 * (10) The projection of a fuzzy set through the links of its members.
 *
 * `y(e) = max(κ(e) max_m S(m) ∧ p_m(e), max_{recorded} S(m))`, `t(e) = κ(e) Σ_m S(m) ∧ p_m(e) + Σ_{recorded} S(m)`,
 * `y(e) ∨ (1 − exp(−s · max(t(e) − y(e), 0)))`: with s = 0 the largest degree at which a member leads to e, and with s
 * above 0 every further member adds to it.
 * Shapes: s [1], members along the first axis → [1, |E|] in [0, 1].
 */
export function projectedSet(logic: Logic, support: Tensor, projection: SetProjection): Tensor {
  return joinRecorded(logic, support, reachedBy(logic, projection, 0), projection.recorded);
}

/** (10) from what predicted links reach. Shapes: s [1], reached [1, |E|] each, recorded [3, |E|] → [1, |E|] in [0, 1]. */
export function joinRecorded(logic: Logic, support: Tensor, reached: Reached, recorded: Tensor): Tensor {
  const factor = slice(recorded, 2, 3, 0);
  const best = maximum(mul(reached.best, factor), slice(recorded, 0, 1, 0));
  const total = add(mul(reached.total, factor), slice(recorded, 1, 2, 0));
  // Rounding can leave a sum of one member below that member.
  const others = maximum(sub(total, best), scalar(0));
  const joined = logic.disjunction(best, sub(scalar(1), exp(neg(mul(others, support)))));
  // Rounding can leave a ∨ b below a or above 1, and what is certain has to stay exactly 1 for ties to be ties.
  return labelled('degrees', minimum(maximum(joined, best), scalar(1)));
}

/**
 * ln Σ exp(τ cos) over the entities that are not recorded, the terms of log-partitions.
 *
 * Shapes: logits [m, |E|], recorded 1 or 0 [m, |E|], each row with a 0 → [m, 1].
 */
export function partitionTerms(logits: Tensor, recorded: Tensor): Tensor {
  return logSumExp(where(greaterOrEqual(recorded, scalar(0.5)), scalar(-1e9), logits));
}
