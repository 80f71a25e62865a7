import type { LogicName } from '@fuzzqe/core/logic';
import type { Law, LawClaim, LawSide } from './law.ts';

/** By which operands a law fails, for the logics in which it does. */
export type Failures = Readonly<Partial<Record<LogicName, readonly number[]>>>;

/** A law from its statement; it holds in the logics for which `fails` has no counter-example. */
export function law(
  statement: string,
  name: string,
  arity: Law['arity'],
  claims: readonly LawClaim[],
  fails: Failures = {},
  premises: readonly LawClaim[] = [],
): Law {
  const { product = 'holds', godel = 'holds', lukasiewicz = 'holds' } = fails;
  return {
    numeral: undefined,
    name,
    statement,
    arity,
    premises,
    claims,
    verdicts: { product, godel, lukasiewicz },
  };
}

/** One comparison of two sides. */
export const claim = (left: LawSide, relation: LawClaim['relation'], right: LawSide): LawClaim => ({
  left,
  relation,
  right,
});
/** The only claim of an equation. */
export const equal = (left: LawSide, right: LawSide): LawClaim[] => [claim(left, '=', right)];
/** The sides that many laws have. */
export const zero: LawSide = ({ constant }, a) => constant(0, a);
export const one: LawSide = ({ constant }, a) => constant(1, a);
export const a: LawSide = (_, a) => a;
export const b: LawSide = (_, _a, b) => b;
export const c: LawSide = (_, _a, _b, c) => c;
export const aAndB: LawSide = ({ and }, a, b) => and(a, b);
export const aOrB: LawSide = ({ or }, a, b) => or(a, b);
export const aAndC: LawSide = ({ and }, a, _, c) => and(a, c);
export const bAndC: LawSide = ({ and }, _, b, c) => and(b, c);
export const aOrC: LawSide = ({ or }, a, _, c) => or(a, c);
export const bOrC: LawSide = ({ or }, _, b, c) => or(b, c);
export const notA: LawSide = ({ not }, a) => not(a);
export const notB: LawSide = ({ not }, _, b) => not(b);
