import {
  add,
  maximum,
  mean,
  mul,
  neg,
  scalar,
  slice,
  sqrt,
  square,
  stopGradient,
  sub,
  sum,
  type Tensor,
} from '@fuzzqe/core/tensor';
import { familyOf, type ModelConfig } from '@fuzzqe/model';

/** What can be added to a loss. */
export const regulariserNames = ['n3', 'l2'] as const;
export type RegulariserName = (typeof regulariserNames)[number];

/** What a regulariser can be told. */
export interface RegulariserSettings {
  /** λ: what its value is multiplied by in the loss. > 0. */
  readonly weight: number;
}

/** Which regularisers a run has; one that is not named does nothing. */
export type RegularisersConfig = { readonly [Name in RegulariserName]?: RegulariserSettings };

/** Whether a run has any. */
export function isRegularised({ regularisers: of }: { readonly regularisers: RegularisersConfig }): boolean {
  return regulariserNames.some((name) => of[name] !== undefined);
}

/** What occurs in a batch, with how much each row counts. */
export interface OccurringRows {
  /** [n, d] */
  readonly rows: Tensor;
  /** [n, 1], or [1, 1] where all count alike */
  readonly shares: Tensor;
}

/** The entities of a batch, each as often as it occurs, as an anchor or as an answer. */
export interface Occurrences {
  /** p_e, in parts whose shares are 1 together. */
  readonly entities: readonly OccurringRows[];
  /** With blocks those of each projection of the batch, in all as much as a query has of them. */
  readonly blocks?: OccurringRows;
  /** How many anchors and answers a query has on average, its answers counting as one. */
  readonly perQuery: number;
  /** What scores are multiplied by in the loss: τ [1]. */
  readonly scale: Tensor;
}

/** A regulariser: what it adds to the loss for one occurrence of each entity. Shapes: p_e [n, d] → [n, 1]. */
export type Regulariser = (entities: Tensor) => Tensor;

/**
 * The regularisers, by name. Both take p_e around its mean element p̄_e, since every element of p_e is positive and its
 * length is fixed: what can be large is how far it is from belonging to everything alike.
 *
 * - `n3`: `Σ_i |p_e(i) − p̄_e|³`. Source: Lacroix, Usunier and Obozinski, "Canonical Tensor Decomposition for Knowledge
 *   Base Completion", ICML 2018.
 *   With blocks `Σ_i (u_i² + u_{i+d/2}²)^{3/2}` of u = d p_e − 1 and of each projection's blocks: the moduli of pairs, since a
 *   block turns a pair as a whole. An anchor, a block and an answer then count 1 each in their query, and all count τ times:
 *   scores are products of the three, and grow with τ as they do with each.
 * - `l2`: `Σ_i (p_e(i) − p̄_e)²`.
 */
const regularisers: Readonly<Record<RegulariserName, Regulariser>> = {
  n3: (entities) => {
    const x = aroundMean(entities);
    return sum(mul(square(x), maximum(x, neg(x))), [-1]);
  },
  l2: (entities) => sum(square(aroundMean(entities)), [-1]),
};

function aroundMean(x: Tensor): Tensor {
  return sub(x, mean(x, [-1]));
}

/** What rows of some parts have in all, each by its share. Shapes: → [1, 1]. */
function sumOf(parts: readonly OccurringRows[], of: Regulariser): Tensor {
  return parts
    .map(({ rows, shares }) => sum(mul(of(rows), shares), [0, 1]))
    .reduce((total, part) => add(total, part));
}

/** N3 of the pairs that scores are products of, for each query of the batch. Shapes: → [1, 1]. */
function nuclearOfPairs(
  pairsOf: (entities: Tensor) => Tensor,
  { entities, blocks, perQuery, scale }: Occurrences,
): Tensor {
  const cubes = (x: Tensor): Tensor => {
    const width = x.shape[1] as number;
    const [a, b] = [slice(x, 0, width / 2, 1), slice(x, width / 2, width, 1)];
    const squares = add(square(a), square(b));
    // s^{3/2} as s times a constant √s has two thirds of its gradient. What is added for the rest is 0, one number a row:
    // to differentiate the root as well would take four more passes over all entities.
    const sums = sum(mul(squares, stopGradient(sqrt(squares))), [-1]);
    return sub(mul(sums, scalar(1.5)), mul(stopGradient(sums), scalar(0.5)));
  };
  const ofEntities = sumOf(entities, (x) => cubes(pairsOf(x)));
  return mul(add(mul(ofEntities, scalar(perQuery)), sumOf([blocks!], cubes)), scale);
}

/**
 * A loss with what the regularisers add: `L + Σ λ · Σ_n share_n r(p_n)`.
 *
 * An entity counts as often as it occurs, unlike under weight decay, which takes the same share of every entity.
 * Shapes: loss [1, 1] → [1, 1].
 */
export function regularised(
  model: ModelConfig,
  config: RegularisersConfig,
  loss: Tensor,
  occurrences: Occurrences,
): Tensor {
  const { pairs } = familyOf(model);
  return regulariserNames.reduce((total, name) => {
    const settings = config[name];
    if (settings === undefined) return total;
    if (name === 'n3' && pairs !== undefined) {
      const penalty = nuclearOfPairs((entities) => pairs(model, entities), occurrences);
      return add(total, mul(penalty, scalar(settings.weight)));
    }
    return add(total, mul(sumOf(occurrences.entities, regularisers[name]), scalar(settings.weight)));
  }, loss);
}
