import { describe, expect, it } from 'vitest';
import { createProgram, digamma, evaluate, input, lgamma, numeric, type Tensor } from './index.ts';

const found = (of: (x: Tensor) => Tensor, xs: readonly number[]): readonly number[] => {
  const x = input('x', 'float', ['n']);
  const program = createProgram({ name: 'gamma', inputs: [x], outputs: { y: of(x) } });
  return Array.from(evaluate(program, { x: numeric([xs.length], xs) })['y']!.data);
};

/** Both functions by sums that are long enough for float64: 200 steps of the recurrence, then the leading terms. */
function exactly(x: number): readonly [lgamma: number, digamma: number] {
  let [product, reciprocals, y] = [0, 0, x];
  for (; y < x + 200; y += 1) {
    product += Math.log(y);
    reciprocals += 1 / y;
  }
  const stirling =
    (y - 0.5) * Math.log(y) - y + Math.log(2 * Math.PI) / 2 + 1 / (12 * y) - 1 / (360 * y ** 3);
  return [
    stirling - product,
    Math.log(y) - 1 / (2 * y) - 1 / (12 * y ** 2) + 1 / (120 * y ** 4) - reciprocals,
  ];
}

describe('the gamma functions', () => {
  const between = Array.from({ length: 400 }, (_, i) => 1e-5 * 1.068 ** i);

  it('have their known values', () => {
    const [euler, ln2] = [0.577_215_664_901_532_9, Math.LN2];
    found(lgamma, [0.5, 1, 2, 5, 11]).forEach((value, i) => {
      expect(value).toBeCloseTo([Math.log(Math.PI) / 2, 0, 0, Math.log(24), Math.log(3_628_800)][i]!, 8);
    });
    found(digamma, [0.5, 1, 2, 4]).forEach((value, i) => {
      expect(value).toBeCloseTo([-euler - 2 * ln2, -euler, 1 - euler, 11 / 6 - euler][i]!, 8);
    });
  });

  it('are off by less than they say, from 10⁻⁵ to two millions', () => {
    const [logs, slopes] = [found(lgamma, between), found(digamma, between)];
    expect(between.at(-1)).toBeGreaterThan(2e6);
    between.forEach((x, i) => {
      const [log, slope] = exactly(x);
      expect(Math.abs(logs[i]! - log), `lgamma(${x})`).toBeLessThan(
        (x < 0.05 ? 2.2e-9 : 2e-9) + 1e-14 * Math.abs(log) * 200,
      );
      expect(Math.abs(slopes[i]! - slope), `digamma(${x})`).toBeLessThan(3e-9);
    });
    // The control: neighbours differ by far more.
    expect(Math.abs(slopes[0]! - slopes[1]!)).toBeGreaterThan(0.1);
  });

  it('stay finite in float32 where they say, because their products do', () => {
    const product = Array.from({ length: 6 }, (_, k) => Math.fround(2e6 + k)).reduce((a, b) =>
      Math.fround(a * b),
    );
    expect(product).toBeLessThan(3.4e38);
  });
});
