import { describe, expect, it } from 'vitest';
import {
  add,
  createDimensions,
  createProgram,
  digamma,
  div,
  evaluate,
  evaluateNode,
  input,
  lgamma,
  log,
  mul,
  type NumericTensor,
  numeric,
  scalar,
  sub,
  type Tensor,
} from './index.ts';

const found = (of: (x: Tensor) => Tensor, xs: readonly number[]): readonly number[] => {
  const x = input('x', 'float', ['n']);
  const program = createProgram({ name: 'gamma', inputs: [x], outputs: { y: of(x) } });
  return Array.from(evaluate(program, { x: numeric([xs.length], xs) })['y']!.data);
};

/** As runtimes compute: each operation rounds its results to float32. */
const inFloat32 = (of: (x: Tensor) => Tensor, xs: readonly number[]): readonly number[] => {
  const x = input('x', 'float', ['n']);
  const program = createProgram({ name: 'gamma', inputs: [x], outputs: { y: of(x) } });
  const results = new Map<Tensor, NumericTensor>([[x, numeric([xs.length], xs)]]);
  for (const node of program.nodes) {
    if (results.has(node)) continue;
    const inputs = node.inputs.map((each) => results.get(each)!);
    const { shape, data } = evaluateNode(node, inputs, createDimensions());
    results.set(node, { shape, data: Float32Array.from(data) });
  }
  return Array.from(results.get(program.outputs[0]!.tensor)!.data);
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
      expect(Math.abs(logs[i]! - log), `lgamma(${x})`).toBeLessThan(1e-11 + 2e-12 * Math.abs(log));
      expect(Math.abs(slopes[i]! - slope), `digamma(${x})`).toBeLessThan(3e-9);
    });
    // The control: neighbours differ by far more.
    expect(Math.abs(slopes[0]! - slopes[1]!)).toBeGreaterThan(0.1);
  });

  it('lose little of lgamma in float32, and not always to the same side', () => {
    const xs = Array.from({ length: 4000 }, (_, i) => Math.fround(0.05 * 1.0014 ** i));
    const errorsOf = (of: (x: Tensor) => Tensor) => {
      const errors = inFloat32(of, xs).map(
        (value, i) => (value - exactly(xs[i]!)[0]) / Math.max(1, Math.abs(exactly(xs[i]!)[0])),
      );
      const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
      return { mean: Math.abs(mean), largest: Math.max(...errors.map(Math.abs)) };
    };
    const own = errorsOf(lgamma);
    expect(own.largest).toBeLessThan(1e-6);
    expect(own.mean).toBeLessThan(2e-8);
    // The control: the asymptotic series needs large arguments, and what is subtracted afterwards is larger than the result.
    const shifted = errorsOf((x) => {
      const y = add(x, scalar(6));
      const stirling = add(
        sub(mul(sub(y, scalar(0.5)), log(y)), sub(y, scalar(Math.log(2 * Math.PI) / 2))),
        div(scalar(1 / 12), y),
      );
      const product = [1, 2, 3, 4, 5].reduce((all, k) => mul(all, add(x, scalar(k))), x);
      return sub(stirling, log(product));
    });
    expect(shifted.largest).toBeGreaterThan(2e-6);
  });

  it('stay finite in float32 where they say, because their products do', () => {
    const product = Array.from({ length: 6 }, (_, k) => Math.fround(2e6 + k)).reduce((a, b) =>
      Math.fround(a * b),
    );
    expect(product).toBeLessThan(3.4e38);
  });
});
