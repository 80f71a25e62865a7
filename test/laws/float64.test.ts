import { logicNames, logics } from '@fuzzqe/core/logic';
import { add, mul, scalar, sub, type Tensor } from '@fuzzqe/core/tensor';
import { type Law, laws, paperLaws, type Violation, violationOf } from '@fuzzqe/parity';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCoverage } from '../fixtures/coverage.ts';
import { tolerances } from '../fixtures/tolerances.ts';
import { type Operators, sidesInFloat64 } from './float64-sides.ts';

/**
 * Three vectors of 16 truth values.
 *
 * Multiples of 2⁻²⁰, which fast-check draws near 0 and 1 more often than elsewhere: a product of three never
 * underflows, where a law of real numbers would stop being one of floating-point numbers.
 */
const randomOperands: fc.Arbitrary<[number[], number[], number[]]> = ((): fc.Arbitrary<
  [number[], number[], number[]]
> => {
  const value = fc.nat(2 ** 20).map((n) => n / 2 ** 20);
  const vector = fc.array(value, { minLength: 16, maxLength: 16 });
  return fc.tuple(vector, vector, vector);
})();

const coverage = createCoverage({ law: laws.map(({ name }) => name), logic: logicNames });

/** Looks for random embeddings that break a law. */
function violationByRandom(law: Law, operators: Operators): Violation | undefined {
  const sides = sidesInFloat64(law, operators);
  let found: Violation | undefined;
  const { failed, errorInstance } = fc.check(
    fc.property(randomOperands, (operands) => {
      found = violationOf(law, sides(operands), tolerances.lawInFloat64);
      return found === undefined;
    }),
    { seed: 8, numRuns: 100, endOnFailure: true },
  );
  // A program that fails to run breaks no law.
  if (failed && found === undefined) throw errorInstance;
  return found;
}

describe.each(logicNames)('random embeddings in %s logic', (logic) => {
  it.each(laws)('$name: $statement', (law) => {
    const verdict = law.verdicts[logic];
    const found = violationByRandom(law, logics[logic]);
    if (verdict === 'holds') {
      expect(found).toBeUndefined();
    } else {
      // The law cannot hold here: random embeddings break it too, and the named values by a wide margin.
      expect(found).toBeDefined();
      const sides = sidesInFloat64(law, logics[logic])(verdict.map((value) => [value]));
      expect(violationOf(law, sides, tolerances.lawInFloat64)?.gap).toBeGreaterThan(0.05);
    }
    coverage.executed({ law: law.name, logic });
  });
});

describe('operators that are not those of a fuzzy logic', () => {
  const average = (a: Tensor, b: Tensor): Tensor => mul(add(a, b), scalar(0.5));
  const broken: readonly [string, Partial<Operators>, readonly string[]][] = [
    // GQE and BetaE average, and the paper names the same two laws.
    ['the average as ∧', { conjunction: average }, ['I', 'III']],
    ['the average as ∨', { disjunction: average }, ['IV', 'VI']],
    ['∨ in the place of ∧', { conjunction: logics.product.disjunction }, ['I']],
    ['∧ in the place of ∨', { disjunction: logics.product.conjunction }, ['IV']],
    ['an ∧ that keeps its left side', { conjunction: (a, b) => add(a, mul(b, scalar(0))) }, ['I', 'II']],
    ['an ∨ that keeps its right side', { disjunction: (a, b) => add(mul(a, scalar(0)), b) }, ['IV', 'V']],
    [
      'an ∧ that is one part in a million off',
      { conjunction: (a, b) => add(mul(a, b), scalar(1e-6)) },
      ['I', 'III'],
    ],
    [
      'an ∨ that is one part in a million off',
      { disjunction: (a, b) => sub(logics.product.disjunction(a, b), scalar(1e-6)) },
      ['IV', 'VI'],
    ],
    ['an ∧ that squares its right side', { conjunction: (a, b) => mul(a, mul(b, b)) }, ['II', 'III']],
    ['a ¬ that does nothing', { negation: (a) => a }, ['VIII']],
    ['a ¬ that is 1 − a²', { negation: (a) => sub(scalar(1), mul(a, a)) }, ['VII']],
    ['a ¬ that forgets', { negation: (a) => mul(a, scalar(0.5)) }, ['VII', 'VIII']],
  ];

  it.each(broken)('%s: found by every law that it breaks, and by no other', (_, replaced, numerals) => {
    const operators = { ...logics.product, ...replaced };
    const caught = paperLaws.filter((law) => violationByRandom(law, operators) !== undefined);
    expect(caught.map(({ numeral }) => numeral)).toEqual(numerals);
  });

  it('between them break each of the eight laws', () => {
    expect(new Set(broken.flatMap(([, , numerals]) => numerals))).toEqual(
      new Set(paperLaws.map(({ numeral }) => numeral)),
    );
  });
});

it('every law has a verdict for every logic, and each was put to the test', () => {
  for (const law of laws) expect(Object.keys(law.verdicts).sort()).toEqual([...logicNames].sort());
  expect(coverage.missing()).toEqual([]);
});
