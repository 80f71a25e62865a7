import { describe, expect, it } from 'vitest';
import { createProgram, evaluate, input, numeric } from '../tensor/index.ts';
import { furtherLaws } from './further-laws.ts';
import type { Law } from './law.ts';
import { paperLaws } from './laws.ts';
import { type LogicName, logicNames, logics } from './logic.ts';
import { sugenoNegation } from './sugeno-negation.ts';
import { everyChoice, sidesOf } from './testing/law-sides.ts';

const lambdas = [-0.99, -0.6, 0.5, 100];
const steps = Array.from({ length: 17 }, (_, i) => i / 16);

function negated(lambda: number, values: readonly number[]): number[] {
  const a = input('a', 'float', ['n']);
  const program = createProgram({ name: 'not', inputs: [a], outputs: { result: sugenoNegation(lambda)(a) } });
  return [...evaluate(program, { a: numeric([values.length], values) })['result']!.data];
}

/** By how much the claims of a law are missed at most, on a grid of its operands. */
function missedBy(law: Law, name: LogicName, lambda: number): number {
  const logic = { ...logics[name], negation: sugenoNegation(lambda) };
  const operands = everyChoice(steps, law.arity);
  const sides = sidesOf(law, logic, operands);
  const gap = (kind: 'premise' | 'claim', i: number, at: number): number => {
    const [left, right] = ['left', 'right'].map((side) => sides[`${kind} ${i} ${side}`]!.data[at]!);
    return law[`${kind}s`][i]!.relation === '=' ? Math.abs(left! - right!) : left! - right!;
  };
  let most = 0;
  for (let at = 0; at < operands[0]!.length; at += 1) {
    if (law.premises.some((_, i) => gap('premise', i, at) > 0)) continue;
    for (let i = 0; i < law.claims.length; i += 1) most = Math.max(most, gap('claim', i, at));
  }
  return most;
}

describe("Sugeno's negation", () => {
  it('is 1 − a for λ = 0', () => {
    expect(negated(0, steps)).toEqual(steps.map((a) => 1 - a));
  });

  it.each(lambdas)('turns 0 and 1 around exactly, for λ = %d', (lambda) => {
    expect(negated(lambda, [0, 1])).toEqual([1, 0]);
  });

  it('takes less from a conjunction the lower λ is', () => {
    const share = (lambda: number): number => {
      const [below, above] = negated(lambda, [0.499, 0.501]);
      return (Math.log(above!) - Math.log(below!)) / 0.002;
    };
    for (const lambda of [0, ...lambdas])
      expect(share(lambda)).toBeCloseTo((-4 * (1 + lambda)) / (2 + lambda), 3);
  });

  describe.each(logicNames)('in %s logic', (logic) => {
    it.each(lambdas)('keeps the eight laws of the paper, for λ = %d', (lambda) => {
      for (const law of paperLaws) expect(missedBy(law, logic, lambda), law.name).toBeLessThan(1e-12);
    });
  });

  it('keeps the laws of De Morgan in Gödel logic alone', () => {
    const laws = furtherLaws.filter(({ name }) => name.startsWith('De Morgan'));
    expect(laws).toHaveLength(2);
    for (const law of laws) {
      expect(missedBy(law, 'godel', -0.6)).toBeLessThan(1e-12);
      expect(missedBy(law, 'product', -0.6)).toBeGreaterThan(0.01);
      expect(missedBy(law, 'lukasiewicz', -0.6)).toBeGreaterThan(0.01);
    }
  });
});
