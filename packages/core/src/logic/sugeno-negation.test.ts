import { describe, expect, it } from 'vitest';
import { createProgram, evaluate, input, numeric } from '../tensor/index.ts';
import { sugenoNegation } from './sugeno-negation.ts';

const lambdas = [-0.99, -0.6, 0.5, 100];
const steps = Array.from({ length: 17 }, (_, i) => i / 16);

function negated(lambda: number, values: readonly number[]): number[] {
  const a = input('a', 'float', ['n']);
  const program = createProgram({ name: 'not', inputs: [a], outputs: { result: sugenoNegation(lambda)(a) } });
  return [...evaluate(program, { a: numeric([values.length], values) })['result']!.data];
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
});
