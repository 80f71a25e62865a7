import type { Tolerance } from '@fuzzqe/bundle';
import type { Law, LawClaim } from './law.ts';

/** The numbers on both sides of a claim. */
export interface Sides {
  readonly left: ArrayLike<number>;
  readonly right: ArrayLike<number>;
}

/** The numbers on both sides of everything that a law compares, in its order. */
export interface LawSides {
  readonly premises: readonly Sides[];
  readonly claims: readonly Sides[];
}

/** Where a claim fails by most. */
export interface Violation {
  readonly claim: number;
  readonly at: number;
  readonly left: number;
  readonly right: number;
  /** How far beyond equality or order. */
  readonly gap: number;
}

/**
 * Where a law fails worst, element by element; undefined where it holds.
 *
 * Premises are taken as they are and claims within the tolerance: a premise that is nearly true asks for nothing.
 */
export function violationOf(law: Law, sides: LawSides, { absolute }: Tolerance): Violation | undefined {
  let worst: Violation | undefined;
  for (const [claim, { left, right }] of sides.claims.entries())
    for (let at = 0; at < left.length; at += 1) {
      const [l, r] = [left[at]!, right[at]!];
      const gap = law.claims[claim]!.relation === '=' ? Math.abs(l - r) : l - r;
      // Not `gap <= absolute`: what is no number breaks every law.
      if (gap <= absolute || !premisesHold(law, sides.premises, at)) continue;
      if (worst === undefined || !(gap <= worst.gap)) worst = { claim, at, left: l, right: r, gap };
    }
  return worst;
}

/** Whether all premises of a law are true of an element; none are where no sides of premises are given. */
export function premisesHold(law: Law, premises: readonly Sides[], at: number): boolean {
  return premises.every((sides, i) => isTrue(law.premises[i]!, sides, at));
}

function isTrue({ relation }: LawClaim, { left, right }: Sides, at: number): boolean {
  const [l, r] = [left[at]!, right[at]!];
  return relation === '=' ? l === r : relation === '<' ? l < r : l <= r;
}
