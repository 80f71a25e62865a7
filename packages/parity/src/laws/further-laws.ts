import type { Law } from './law.ts';
import {
  a,
  aAndB,
  aAndC,
  aOrB,
  aOrC,
  b,
  bAndC,
  bOrC,
  c,
  claim,
  equal,
  type Failures,
  law,
  one,
  zero,
} from './law-terms.ts';

const half = [0.5];
const halves = [0.5, 0.5, 0.5];
const onlyGodel: Failures = { product: half, lukasiewicz: half };
const onlyLukasiewicz: Failures = { product: half, godel: half };

/**
 * Other laws of classical logic, and in which of the fuzzy logics they hold: every row of the paper's table of full
 * axioms that can be said with ∧, ∨ and ¬, and the rest of what a Boolean algebra satisfies.
 *
 * The table uses ∧ for the t-norm and the conjunction min alike, and ¬a for a → 0; here ∧ is the t-norm and ¬a is
 * 1 − a, as in the model. Three rows come out otherwise for that reason:
 *  - ¬¬φ → φ is law VII and holds in all three, not in Łukasiewicz logic alone;
 *  - φ ∧ ¬φ → 0 holds in Łukasiewicz logic and not in product logic;
 *  - ∧(III) says that φ ∧ ψ is the greatest lower bound, which of the t-norms only min is.
 * An implication that stands outermost, or to the left of another, is read as the order of truth values.
 * Source: FuzzQE, appendix "Axiomatic systems of logic"; special properties from the table of t-norms.
 */
export const furtherLaws: readonly Law[] = [
  law('0 ≤ a, a ≤ 1', 'ex falso quodlibet', 1, [claim(zero, '<=', a), claim(a, '<=', one)]),
  law(
    'a ∧ 1 = a, a ∨ 0 = a',
    'identity',
    1,
    [
      equal(({ and, constant }, a) => and(a, constant(1, a)), a),
      equal(({ or, constant }, a) => or(a, constant(0, a)), a),
    ].flat(),
  ),
  law(
    'a ∧ 0 = 0, a ∨ 1 = 1',
    'domination',
    1,
    [
      equal(({ and, constant }, a) => and(a, constant(0, a)), zero),
      equal(({ or, constant }, a) => or(a, constant(1, a)), one),
    ].flat(),
  ),
  law('a ≤ b ⇒ a ∧ c ≤ b ∧ c', 'monotonicity of ∧', 3, [claim(aAndC, '<=', bAndC)], {}, [claim(a, '<=', b)]),
  law('a ≤ b ⇒ a ∨ c ≤ b ∨ c', 'monotonicity of ∨', 3, [claim(aOrC, '<=', bOrC)], {}, [claim(a, '<=', b)]),
  law(
    '¬(a ∧ b) = ¬a ∨ ¬b',
    'De Morgan for ∧',
    2,
    equal(
      ({ and, not }, a, b) => not(and(a, b)),
      ({ or, not }, a, b) => or(not(a), not(b)),
    ),
  ),
  law(
    '¬(a ∨ b) = ¬a ∧ ¬b',
    'De Morgan for ∨',
    2,
    equal(
      ({ or, not }, a, b) => not(or(a, b)),
      ({ and, not }, a, b) => and(not(a), not(b)),
    ),
  ),
  law('a ∧ ¬a ≤ b ∨ ¬b', 'Kleene', 2, [
    claim(
      ({ and, not }, a) => and(a, not(a)),
      '<=',
      ({ or, not }, _, b) => or(b, not(b)),
    ),
  ]),
  law('c ≤ a, c ≤ b ⇒ c ≤ a ∨ b', '∨(III) as printed', 3, [claim(c, '<=', aOrB)], {}, [
    claim(c, '<=', a),
    claim(c, '<=', b),
  ]),
  law(
    'c ≤ a, c ≤ b ⇒ c ≤ a ∧ b',
    '∧(III), greatest lower bound',
    3,
    [claim(c, '<=', aAndB)],
    { product: halves, lukasiewicz: halves },
    [claim(c, '<=', a), claim(c, '<=', b)],
  ),
  law(
    'a ≤ c, b ≤ c ⇒ a ∨ b ≤ c',
    'least upper bound',
    3,
    [claim(aOrB, '<=', c)],
    { product: halves, lukasiewicz: halves },
    [claim(a, '<=', c), claim(b, '<=', c)],
  ),
  law('a ≤ a ∧ a', 'contraction', 1, [claim(a, '<=', ({ and }, a) => and(a, a))], onlyGodel),
  law(
    'a ∧ a = a',
    'idempotence of ∧',
    1,
    equal(({ and }, a) => and(a, a), a),
    onlyGodel,
  ),
  law(
    'a ∨ a = a',
    'idempotence of ∨',
    1,
    equal(({ or }, a) => or(a, a), a),
    onlyGodel,
  ),
  law(
    'a ∧ (a ∨ b) = a',
    'absorption by ∧',
    2,
    equal(({ and, or }, a, b) => and(a, or(a, b)), a),
    { product: [0.5, 0.5], lukasiewicz: [0.5, 0.25] },
  ),
  law(
    'a ∨ (a ∧ b) = a',
    'absorption by ∨',
    2,
    equal(({ and, or }, a, b) => or(a, and(a, b)), a),
    { product: [0.5, 0.5], lukasiewicz: [0.5, 0.75] },
  ),
  law(
    'a ∧ (b ∨ c) = (a ∧ b) ∨ (a ∧ c)',
    'distributivity of ∧',
    3,
    equal(
      ({ and, or }, a, b, c) => and(a, or(b, c)),
      ({ and, or }, a, b, c) => or(and(a, b), and(a, c)),
    ),
    { product: halves, lukasiewicz: halves },
  ),
  law(
    'a ∨ (b ∧ c) = (a ∨ b) ∧ (a ∨ c)',
    'distributivity of ∨',
    3,
    equal(
      ({ and, or }, a, b, c) => or(a, and(b, c)),
      ({ and, or }, a, b, c) => and(or(a, b), or(a, c)),
    ),
    { product: halves, lukasiewicz: halves },
  ),
  law(
    'a ∧ ¬a = 0',
    'contradiction as an equation',
    1,
    equal(({ and, not }, a) => and(a, not(a)), zero),
    onlyLukasiewicz,
  ),
  law(
    'a ∨ ¬a = 1',
    'excluded middle',
    1,
    equal(({ or, not }, a) => or(a, not(a)), one),
    onlyLukasiewicz,
  ),
  law(
    '¬a ∧ (a ∨ b) ≤ b',
    'disjunctive syllogism',
    2,
    [claim(({ and, or, not }, a, b) => and(not(a), or(a, b)), '<=', b)],
    { product: [0.5, 0.25], godel: [0.5, 0.25] },
  ),
  law(
    '0 < c, a ∧ c ≤ b ∧ c ⇒ a ≤ b',
    'cancellation, axiom 11',
    3,
    [claim(a, '<=', b)],
    { godel: [0.75, 0.5, 0.25], lukasiewicz: [0.75, 0.5, 0.25] },
    [claim(zero, '<', c), claim(aAndC, '<=', bAndC)],
  ),
];
