import { describe, expect, it } from 'vitest';
import { conjunction, disjunction, negation, type OracleModel } from './model.ts';

type Operators = Readonly<
  Record<'and' | 'or', (a: number, b: number) => number> & Record<'not', (a: number) => number>
>;

const logics: readonly OracleModel['logic'][] = ['product', 'godel', 'lukasiewicz'];
const values = [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1];
const one = (vector: readonly number[]): number => vector[0]!;
const operatorsOf = (logic: OracleModel['logic']): Operators => ({
  and: (a, b) => one(conjunction(logic, [a], [b])),
  or: (a, b) => one(disjunction(logic, [a], [b])),
  not: (a) => one(negation([a])),
});

/** The eight laws of the paper's table, and that ∨ is the dual of ∧; eighths are exact, and so are their products. */
function brokenLaws({ and, or, not }: Operators): string[] {
  const broken = new Set<string>();
  const law = (name: string, holds: boolean): void => {
    if (!holds) broken.add(name);
  };
  for (const a of values)
    for (const b of values)
      for (const c of values) {
        law('I', and(a, b) <= a && and(a, b) <= b);
        law('II', and(a, b) === and(b, a));
        law('III', and(and(a, b), c) === and(a, and(b, c)));
        law('IV', a <= or(a, b) && b <= or(a, b));
        law('V', or(a, b) === or(b, a));
        law('VI', or(or(a, b), c) === or(a, or(b, c)));
        law('VII', not(not(a)) === a);
        law('VIII', a > b || not(b) <= not(a));
        law('dual', or(a, b) === not(and(not(a), not(b))));
      }
  return [...broken];
}

describe.each(logics)("the oracle's %s logic", (logic) => {
  it('keeps the laws of the paper', () => {
    expect(brokenLaws(operatorsOf(logic))).toEqual([]);
  });

  it('would break them with ∧ and ∨ exchanged, or without the complement', () => {
    const { and, or, not } = operatorsOf(logic);
    expect(brokenLaws({ and: or, or: and, not })).toEqual(['I', 'IV']);
    expect(brokenLaws({ and, or, not: (a) => a })).toEqual(['VIII', 'dual']);
  });
});
