/**
 * A rule `r(X, Y) ← r₁(X, Z₁), …, rₙ(Zₙ₋₁, Y)`, whose variables stand for distinct entities, or `r(X, c) ← q(X, d)`.
 *
 * Relations are ids of a graph, inverses included.
 */
export type Rule = PathRule | ConstantRule;

interface RuleCounts {
  /** r, the relation of the head. */
  readonly relation: number;
  /** How many of the pairs that the rule predicted are recorded. */
  readonly hits: number;
  /** How many pairs the rule predicted, of the heads that were looked at. */
  readonly predictions: number;
}

/** A rule whose body is a path from X to Y. */
export interface PathRule extends RuleCounts {
  readonly kind: 'path';
  /** r₁ … rₙ: 1 to 3 relations. */
  readonly path: readonly number[];
}

/** A rule that names one tail: whoever has the fact (q, d) is said to have (r, c). */
export interface ConstantRule extends RuleCounts {
  readonly kind: 'constant';
  /** c */
  readonly tail: number;
  /** (q, d) */
  readonly body: { readonly relation: number; readonly tail: number };
}

/** How many predictions that failed each rule is charged with beside its own, so that a rule of few examples is not trusted. */
export const doubt = 5;

/** The confidence of a rule: `hits / (predictions + 5)`. Range: [0, 1). */
export function confidenceOf({ hits, predictions }: Pick<Rule, 'hits' | 'predictions'>): number {
  return hits / (predictions + doubt);
}

/** The rules of a graph, of each relation those of the highest confidence first. */
export interface RuleSet {
  /** |R|, inverses included. */
  readonly relationCount: number;
  readonly rules: readonly Rule[];
}
