import { describe, expect, it } from 'vitest';
import { type LogicName, logicNames, logics } from '../logic/index.ts';
import { createRandom } from '../random.ts';
import { createProgram, evaluate, input, numeric } from '../tensor/index.ts';
import { newArrays } from './arrays.ts';
import { createSetLogic, joinSets, type SetLogic } from './set-logic.ts';

/** Degrees of which some are certain, impossible or equal. */
function someSet(stream: string): Float32Array {
  const random = createRandom('set logic', stream);
  return Float32Array.from({ length: 4000 }, (_, i) => (i % 10 < 3 ? [0, 0.5, 1][i % 3]! : random.uniform()));
}
const [a, b, c] = ['a', 'b', 'c'].map(someSet) as [Float32Array, Float32Array, Float32Array];

/** ∧, ∨ and ¬ by the tensor programs in float64, rounded once. */
function byPrograms(name: LogicName): Record<keyof SetLogic, Float32Array> {
  const [left, right] = [input('left', 'float', ['n']), input('right', 'float', ['n'])];
  const logic = logics[name];
  const outputs = {
    and: logic.conjunction(left, right),
    or: logic.disjunction(left, right),
    not: logic.negation(left),
  };
  const program = createProgram({ name: 'logic', inputs: [left, right], outputs });
  const found = evaluate(program, { left: numeric([a.length], a), right: numeric([b.length], b) });
  const rounded = (of: keyof SetLogic) => Float32Array.from(found[of]!.data);
  return { and: rounded('and'), or: rounded('or'), not: rounded('not') };
}

/** Four roundings of numbers up to 1. */
const rounding = 4 * 2 ** -24;

describe.each(logicNames)('%s logic on fuzzy sets', (name) => {
  const logic = createSetLogic(name);

  it('is that of the tensor programs, and leaves its operands as they are', () => {
    const before = [a.slice(), b.slice()];
    const expected = byPrograms(name);
    const found = { and: logic.and(a, b), or: logic.or(a, b), not: logic.not(a) };
    for (const operator of ['and', 'or', 'not'] as const)
      expected[operator].forEach((degree, i) => {
        expect(Math.abs(found[operator][i]! - degree)).toBeLessThanOrEqual(rounding);
      });
    expect([a, b]).toEqual(before);
  });

  it('writes into its operands where it is told to, to the bit what it would write elsewhere', () => {
    for (const operator of ['and', 'or'] as const) {
      const expected = logic[operator](a, b);
      for (const place of [0, 1]) {
        const operands = [a.slice(), b.slice()] as const;
        expect(logic[operator](...operands, operands[place])).toBe(operands[place]);
        expect(operands[place]).toEqual(expected);
      }
      const before = [a, b, c].map((set) => set.slice());
      expect(joinSets(logic, operator, [a, b, c], newArrays)).toEqual(logic[operator](expected, c));
      expect([a, b, c]).toEqual(before);
      expect(joinSets(logic, operator, [b], newArrays)).toBe(b);
    }
    const set = a.slice();
    expect(logic.not(set, set)).toBe(set);
    expect(set).toEqual(logic.not(a));
  });

  it('keeps what is certain certain', () => {
    const ones = new Float32Array(b.length).fill(1);
    expect(logic.or(ones, b)).toEqual(ones);
    expect(logic.or(b, ones)).toEqual(ones);
  });
});
