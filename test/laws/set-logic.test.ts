import { createRandom } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { createSetLogic, type SetLogic } from '@fuzzqe/core/sets';
import {
  type Law,
  type LawClaim,
  paperLaws,
  type Sides,
  type TruthAlgebra,
  violationOf,
} from '@fuzzqe/parity';
import { expect, it } from 'vitest';

/** Degrees of which some are certain, impossible or equal. */
function someSet(stream: string): Float32Array {
  const random = createRandom('set logic', stream);
  return Float32Array.from({ length: 4000 }, (_, i) => (i % 10 < 3 ? [0, 0.5, 1][i % 3]! : random.uniform()));
}
const [a, b, c] = ['a', 'b', 'c'].map(someSet) as [Float32Array, Float32Array, Float32Array];

/** By how much a law is missed by sets at most, where its premises hold. */
function missedBy(law: Law, { and, or, not }: SetLogic): number {
  const algebra: TruthAlgebra<Float32Array> = {
    and,
    or,
    not,
    constant: (value, like) => new Float32Array(like.length).fill(value),
  };
  const sidesOf = (claims: readonly LawClaim[]): Sides[] =>
    claims.map(({ left, right }) => ({ left: left(algebra, a, b, c), right: right(algebra, a, b, c) }));
  const sides = { premises: sidesOf(law.premises), claims: sidesOf(law.claims) };
  return violationOf(law, sides, { absolute: 0, relative: 0 })?.gap ?? 0;
}

/** Four roundings of numbers up to 1, as both sides of a law may have. */
const rounding = 4 * 2 ** -24;

const cases = logicNames.flatMap((name) => paperLaws.map((law) => ({ ...law, logic: name })));

it.each(cases)('$logic logic on fuzzy sets has law $numeral, $name', (law) => {
  const logic = createSetLogic(law.logic);
  expect(missedBy(law, logic)).toBeLessThanOrEqual(rounding);
});

it('a conjunction that is an average breaks laws', () => {
  const average: SetLogic = {
    ...createSetLogic('product'),
    and: (x, y) => x.map((degree, i) => (degree + y[i]!) / 2),
  };
  const broken = paperLaws.filter((law) => missedBy(law, average) > 0.1).map(({ numeral }) => numeral);
  expect(broken).toEqual(['I', 'III']);
});
