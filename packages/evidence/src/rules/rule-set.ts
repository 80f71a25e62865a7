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

/** A rule that names one tail: each X with the fact (q, d) is said to have (r, c). */
export interface ConstantRule extends RuleCounts {
  readonly kind: 'constant';
  /** c */
  readonly tail: number;
  /** (q, d) */
  readonly body: { readonly relation: number; readonly tail: number };
}

/** How many failed predictions each rule is charged with in addition to its own, so that a rule of few examples is not trusted. */
export const doubt = 5;

/** The confidence of a rule: `hits / (predictions + 5)`. Range: [0, 1). */
export function confidenceOf({ hits, predictions }: Pick<Rule, 'hits' | 'predictions'>): number {
  return hits / (predictions + doubt);
}

/** The rules of a graph, in the order of `compareRules`. */
export interface RuleSet {
  /** |R|, inverses included. */
  readonly relationCount: number;
  readonly rules: readonly Rule[];
}

/**
 * The one order of rules: relation ascending; confidence descending; paths before constants; shorter paths first; then the numbers
 * of the body ascending, of a path r₁ … rₙ, of a constant c, q, d.
 */
export function compareRules(a: Rule, b: Rule): number {
  if (a.relation !== b.relation) return a.relation - b.relation;
  const byConfidence = b.hits / (b.predictions + doubt) - a.hits / (a.predictions + doubt);
  if (byConfidence !== 0) return byConfidence;
  if (a.kind === 'path') return b.kind === 'path' ? comparePaths(a.path, b.path) : -1;
  if (b.kind === 'path') return 1;
  return a.tail - b.tail || a.body.relation - b.body.relation || a.body.tail - b.body.tail;
}

/** Shorter paths first, then by the relations. */
export function comparePaths(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) return a.length - b.length;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}
