import { add, maximum, mean, mul, neg, scalar, square, sub, sum, type Tensor } from '@fuzzqe/core/tensor';

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

/** The entities of a batch: a row for each time that one occurs, as an anchor or as an answer. */
export interface Occurrences {
  /** p_e [n, d]. */
  readonly entities: Tensor;
  /** How much each row counts, in all 1 [n, 1]. */
  readonly shares: Tensor;
}

/** A regulariser: what it adds to the loss for one occurrence of each entity. Shapes: p_e [n, d] → [n, 1]. */
export type Regulariser = (entities: Tensor) => Tensor;

/**
 * The regularisers, by name. Both take p_e around its mean element p̄_e, since every element of p_e is positive and its
 * length is fixed: what can be large is how far it is from belonging to everything alike.
 *
 * - `n3`: `Σ_i |p_e(i) − p̄_e|³`. Source: Lacroix, Usunier and Obozinski, "Canonical Tensor Decomposition for Knowledge
 *   Base Completion", ICML 2018.
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

/**
 * A loss with what the regularisers add: `L + Σ λ · Σ_n share_n r(p_n)`.
 *
 * An entity counts as often as it occurs, unlike under weight decay, which takes the same share of every entity.
 * Shapes: loss [1, 1] → [1, 1].
 */
export function regularised(config: RegularisersConfig, loss: Tensor, occurrences: Occurrences): Tensor {
  const { entities, shares } = occurrences;
  return regulariserNames.reduce((total, name) => {
    const settings = config[name];
    if (settings === undefined) return total;
    const each = mul(regularisers[name](entities), shares);
    return add(total, mul(sum(each, [0, 1]), scalar(settings.weight)));
  }, loss);
}
