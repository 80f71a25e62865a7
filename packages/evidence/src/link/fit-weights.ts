import { featureCount } from './features.ts';
import { solveCholesky } from './solve-cholesky.ts';

/** Candidates whose facts were looked up among the hidden ones. Shapes: n candidates. */
export interface Outcomes {
  /** x of each [n × 12]. */
  readonly features: Float64Array;
  readonly relations: Int32Array;
  /** 1 where the fact was hidden and is known now, else 0. */
  readonly found: Uint8Array;
  /** How many candidates of the graph each stands for, in any unit. */
  readonly weights: Float64Array;
  /** s: the share of the hidden facts that are known now, in (0, 1]; the others count as not found. */
  readonly knownShare: number;
  /** 1 where somebody rejected the link: such a candidate is certainly false, and its s is 1. Default: nowhere. */
  readonly rejected?: Uint8Array;
}

/** How strongly weights are drawn towards others. */
export interface Shrinkage {
  /** Of a relation's weights to the common ones. */
  readonly relations: number;
  /** Of the common weights to 0, the constant apart. */
  readonly common: number;
}

export const usualShrinkage: Shrinkage = { relations: 0.5, common: 0.02 };

/** Fitted weights. */
export interface FittedWeights {
  /** [12] */
  readonly common: Float64Array;
  /** By relations that have candidates, `common` and their own deviation together. */
  readonly relations: ReadonlyMap<number, Float64Array>;
  /** The mean of −ln of the probability of what was found. */
  readonly logLoss: number;
}

const k = featureCount;
const mostSteps = 40;

/**
 * Fits w_r of every relation, a common part and a deviation that is shrunk, to the log loss of `s σ(w_r · x)`.
 *
 * `Σ v (−ln P(found))` with `P(1) = s σ(z)`, `z = (c + δ_r) · x`, plus `λ_r Σ |δ_r|² / 2 + λ_c |c|² / 2`, weights v scaled to a mean of 1. Candidates that
 * are hidden but not known count as not found, which s < 1 takes into account; s is 1 for rejected candidates. By Fisher scoring, whose matrix is an arrow:
 * deviations are eliminated relation by relation.
 *
 * Time a step: n · 12² + relations · 12³. The same outcomes give the same weights.
 */
export function fitWeights(outcomes: Outcomes, shrinkage: Shrinkage = usualShrinkage): FittedWeights {
  const groups = groupByRelation(outcomes.relations);
  const total = outcomes.weights.reduce((sum, weight) => sum + weight, 0);
  const unit = outcomes.weights.length / total;
  const common = new Float64Array(k);
  const deviations = new Map([...groups.keys()].map((relation) => [relation, new Float64Array(k)] as const));
  let loss = penalised(outcomes, groups, unit, shrinkage, common, deviations);
  for (let step = 0; step < mostSteps; step += 1) {
    const direction = scoringStep(outcomes, groups, unit, shrinkage, common, deviations);
    const before = loss;
    let size = 1;
    for (; size > 1e-4; size /= 2) {
      move(common, direction.common, size);
      for (const [relation, own] of deviations) move(own, direction.relations.get(relation)!, size);
      loss = penalised(outcomes, groups, unit, shrinkage, common, deviations);
      if (loss <= before) break;
      move(common, direction.common, -size);
      for (const [relation, own] of deviations) move(own, direction.relations.get(relation)!, -size);
      loss = before;
    }
    if (before - loss < 1e-9 * Math.abs(before)) break;
  }
  return {
    common,
    relations: new Map([...deviations].map(([relation, own]) => [relation, sum(common, own)] as const)),
    logLoss: dataLoss(outcomes, groups, unit, common, deviations) / outcomes.weights.length,
  };
}

type Groups = ReadonlyMap<number, Int32Array>;
type Deviations = ReadonlyMap<number, Float64Array>;

function groupByRelation(relations: Int32Array): Groups {
  const places = new Map<number, number[]>();
  relations.forEach((relation, at) => {
    const known = places.get(relation);
    if (known === undefined) places.set(relation, [at]);
    else known.push(at);
  });
  return new Map(
    [...places].sort(([a], [b]) => a - b).map(([relation, at]) => [relation, Int32Array.from(at)]),
  );
}

const sum = (a: Float64Array, b: Float64Array): Float64Array => a.map((value, i) => value + b[i]!);
function move(weights: Float64Array, direction: Float64Array, size: number): void {
  for (let i = 0; i < weights.length; i += 1) weights[i]! += size * direction[i]!;
}
/** s of a candidate. */
const shareAt = ({ rejected, knownShare }: Outcomes, at: number): number =>
  rejected?.[at] === 1 ? 1 : knownShare;
/** σ(z). */
export const sigmoid = (z: number): number => 1 / (1 + Math.exp(-z));
/** w · x of the features from place `at` on. */
export function dot(features: Float64Array, at: number, weights: Float64Array): number {
  let z = 0;
  for (let i = 0; i < k; i += 1) z += features[at * k + i]! * weights[i]!;
  return z;
}

function dataLoss(
  outcomes: Outcomes,
  groups: Groups,
  unit: number,
  common: Float64Array,
  deviations: Deviations,
): number {
  const { features, found, weights } = outcomes;
  let loss = 0;
  for (const [relation, places] of groups) {
    const own = sum(common, deviations.get(relation)!);
    for (const at of places) {
      const z = dot(features, at, own);
      // −ln σ(z) without overflow.
      const share = shareAt(outcomes, at);
      const surprise = z > 0 ? Math.log1p(Math.exp(-z)) : Math.log1p(Math.exp(z)) - z;
      loss +=
        unit *
        weights[at]! *
        (found[at] === 1
          ? surprise - Math.log(share)
          : share === 1
            ? surprise + z
            : -Math.log1p(-share * sigmoid(z)));
    }
  }
  return loss;
}

function penalised(
  outcomes: Outcomes,
  groups: Groups,
  unit: number,
  shrinkage: Shrinkage,
  common: Float64Array,
  deviations: Deviations,
): number {
  const square = (weights: Float64Array): number => weights.reduce((all, weight) => all + weight * weight, 0);
  let penalty = (shrinkage.common / 2) * (square(common) - common[0]! ** 2);
  for (const own of deviations.values()) penalty += (shrinkage.relations / 2) * square(own);
  return dataLoss(outcomes, groups, unit, common, deviations) + penalty;
}

/** The step of Fisher scoring: the arrow matrix is solved for the common part first. */
function scoringStep(
  outcomes: Outcomes,
  groups: Groups,
  unit: number,
  shrinkage: Shrinkage,
  common: Float64Array,
  deviations: Deviations,
): { readonly common: Float64Array; readonly relations: ReadonlyMap<number, Float64Array> } {
  const { features, found, weights } = outcomes;
  const matrix = new Float64Array(k * k);
  const gradient = new Float64Array(k);
  const parts: { relation: number; solved: Float64Array; own: Float64Array }[] = [];
  for (const [relation, places] of groups) {
    const own = deviations.get(relation)!;
    const all = sum(common, own);
    const h = new Float64Array(k * k);
    const g = new Float64Array(k);
    for (const at of places) {
      const p = sigmoid(dot(features, at, all));
      const share = shareAt(outcomes, at);
      const said = Math.min(Math.max(share * p, 1e-12), 1 - 1e-12);
      const slope = share * p * (1 - p);
      const v = unit * weights[at]!;
      const residual = (v * slope * (found[at]! - said)) / (said * (1 - said));
      const curvature = (v * slope * slope) / (said * (1 - said));
      for (let i = 0; i < k; i += 1) {
        const x = features[at * k + i]!;
        if (x === 0) continue;
        g[i]! += residual * x;
        for (let j = 0; j <= i; j += 1) h[i * k + j]! += curvature * x * features[at * k + j]!;
      }
    }
    for (let i = 0; i < k; i += 1) for (let j = 0; j < i; j += 1) h[j * k + i] = h[i * k + j]!;
    // (H + λI) δ' = g − λδ − H c', so that c' alone is left: [H + λI]⁻¹ [H | g − λδ].
    const right = new Float64Array(k * (k + 1));
    const ridged = h.slice();
    for (let i = 0; i < k; i += 1) {
      ridged[i * k + i]! += shrinkage.relations;
      for (let j = 0; j < k; j += 1) right[i * (k + 1) + j] = h[i * k + j]!;
      right[i * (k + 1) + k] = g[i]! - shrinkage.relations * own[i]!;
    }
    const solved = solveCholesky(ridged, right, k);
    for (let i = 0; i < k; i += 1) {
      gradient[i]! += g[i]!;
      for (let j = 0; j < k; j += 1) {
        matrix[i * k + j]! += h[i * k + j]!;
        gradient[i]! -= h[i * k + j]! * solved[j * (k + 1) + k]!;
        for (let l = 0; l < k; l += 1) matrix[i * k + l]! -= h[i * k + j]! * solved[j * (k + 1) + l]!;
      }
    }
    parts.push({ relation, solved, own });
  }
  for (let i = 0; i < k; i += 1) {
    const ridge = i === 0 ? 1e-9 : shrinkage.common;
    matrix[i * k + i]! += ridge;
    if (i > 0) gradient[i]! -= shrinkage.common * common[i]!;
  }
  const step = solveCholesky(matrix, gradient, k);
  const relations = new Map(
    parts.map(({ relation, solved }) => {
      const own = new Float64Array(k);
      for (let i = 0; i < k; i += 1) {
        own[i] = solved[i * (k + 1) + k]!;
        for (let j = 0; j < k; j += 1) own[i]! -= solved[i * (k + 1) + j]! * step[j]!;
      }
      return [relation, own] as const;
    }),
  );
  return { common: step, relations };
}
