import { furtherLaws } from './further-laws.ts';
import type { Law } from './law.ts';
import { a, aAndB, aOrB, b, claim, equal, law, notA, notB } from './law-terms.ts';

/**
 * The eight laws that the paper asks of a query embedding; they hold in all three logics.
 *
 * VIII stands there as "φ(q, e) ↑ ⇒ φ(¬q, e) ↓"; the equation a ∧ ¬a = 0 is among the further laws.
 * Source: FuzzQE, table of logic laws and model properties; propositions 1 to 3.
 */
export const paperLaws: readonly Law[] = [
  law('a ∧ b ≤ a, a ∧ b ≤ b', 'conjunction elimination', 2, [claim(aAndB, '<=', a), claim(aAndB, '<=', b)]),
  law(
    'a ∧ b = b ∧ a',
    'commutativity of ∧',
    2,
    equal(aAndB, ({ and }, a, b) => and(b, a)),
  ),
  law(
    '(a ∧ b) ∧ c = a ∧ (b ∧ c)',
    'associativity of ∧',
    3,
    equal(
      ({ and }, a, b, c) => and(and(a, b), c),
      ({ and }, a, b, c) => and(a, and(b, c)),
    ),
  ),
  law('a ≤ a ∨ b, b ≤ a ∨ b', 'disjunction amplification', 2, [claim(a, '<=', aOrB), claim(b, '<=', aOrB)]),
  law(
    'a ∨ b = b ∨ a',
    'commutativity of ∨',
    2,
    equal(aOrB, ({ or }, a, b) => or(b, a)),
  ),
  law(
    '(a ∨ b) ∨ c = a ∨ (b ∨ c)',
    'associativity of ∨',
    3,
    equal(
      ({ or }, a, b, c) => or(or(a, b), c),
      ({ or }, a, b, c) => or(a, or(b, c)),
    ),
  ),
  law(
    '¬¬a = a',
    'involution',
    1,
    equal(({ not }, a) => not(not(a)), a),
  ),
  law('a ≤ b ⇒ ¬b ≤ ¬a', 'non-contradiction', 2, [claim(notB, '<=', notA)], {}, [claim(a, '<=', b)]),
].map((entry, i) => ({ ...entry, numeral: ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII'][i] }));

/** All of them, the paper's eight first. */
export const laws: readonly Law[] = [...paperLaws, ...furtherLaws];
