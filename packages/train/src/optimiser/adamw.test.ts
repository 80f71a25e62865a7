import { createRandom } from '@fuzzqe/core';
import { createProgram, evaluate, input, numeric, parameter } from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import { adamW, adamWDefaults } from './adamw.ts';

const settings = { ...adamWDefaults, weightDecay: 0.3, rateScale: 2 };
const learningRate = 0.05;

/** Where a parameter is after some steps, with the means and corrections of the paper's algorithm 2. */
function textbook(start: number, gradients: readonly number[], decay: number): number {
  let [x, mean, square] = [start, 0, 0];
  gradients.forEach((gradient, i) => {
    mean = 0.9 * mean + 0.1 * gradient;
    square = 0.999 * square + 0.001 * gradient ** 2;
    const corrected = mean / (1 - 0.9 ** (i + 1));
    const size = Math.sqrt(square / (1 - 0.999 ** (i + 1)));
    x -= 2 * learningRate * (corrected / (size + 1e-8) + decay * x);
  });
  return x;
}

/** The same through the tensor program. */
function trained(start: number, gradients: readonly number[]): number {
  const number = (name: string) => input(name, 'float', [1]);
  const state = {
    parameter: parameter('x', [1]),
    sum: parameter('sum', [1]),
    squareSum: parameter('squareSum', [1]),
  };
  const step = { learningRate: number('rate'), correction1: number('c1'), correction2: number('c2') };
  const gradient = number('gradient');
  const program = createProgram({
    name: 'adamw',
    inputs: [step.learningRate, step.correction1, step.correction2, gradient],
    outputs: { ...adamW(settings, step, state, gradient) },
  });
  let values = [start, 0, 0];
  gradients.forEach((each, i) => {
    const feeds = [learningRate, 1 / (1 - 0.9 ** (i + 1)), 1 / (1 - 0.999 ** (i + 1)), each];
    const names = ['rate', 'c1', 'c2', 'gradient'];
    const results = evaluate(
      program,
      Object.fromEntries(
        [
          ...names.map((name, k) => [name, feeds[k]!]),
          ...['x', 'sum', 'squareSum'].map((name, k) => [name, values[k]!]),
        ].map(([name, value]) => [name, numeric([1], Float64Array.of(value as number))]),
      ),
    );
    values = ['parameter', 'sum', 'squareSum'].map((name) => results[name]!.data[0]!);
  });
  return values[0]!;
}

describe('AdamW', () => {
  const random = createRandom('adamw');
  const gradients = Array.from({ length: 12 }, () => random.normal() * 10 ** -random.below(6));

  it('updates a parameter as the algorithm says', () => {
    expect(trained(0.7, gradients)).toBeCloseTo(textbook(0.7, gradients, 0.3), 12);
  });

  it('updates it otherwise with another decay', () => {
    expect(Math.abs(trained(0.7, gradients) - textbook(0.7, gradients, 0.29))).toBeGreaterThan(1e-4);
  });
});
