import { createRandom } from '@fuzzqe/core';
import { createProgram, input, parameter } from '@fuzzqe/core/tensor';
import * as ort from '@fuzzqe/ort';
import { describe, expect, it } from 'vitest';
import { openOrtSession } from '../runtimes/ort-session.ts';
import { type AdamWSettings, adamW, adamWDefaults } from './adamw.ts';
import { type AdamWKernel, type AdamWNumbers, adamWFactors, createAdamWKernel } from './adamw-kernel.ts';

const decaying: AdamWSettings = { ...adamWDefaults, weightDecay: 0.3, rateScale: 2 };

/** The numbers of a step, as float32 as they are fed. */
function numbersOf(step: number): AdamWNumbers {
  const f = Math.fround;
  return {
    learningRate: f(0.004 / step),
    correction1: f(1 / (1 - 0.9 ** step)),
    correction2: f(1 / (1 - 0.999 ** step)),
  };
}

/** Fills a kernel with a parameter and no sums yet. */
function startedKernel(count: number): AdamWKernel {
  const kernel = createAdamWKernel(count);
  const random = createRandom('parameter');
  kernel.parameter.set(Float32Array.from({ length: count }, () => random.normal()));
  return kernel;
}

/** Gradients of very different sizes, zero among them. */
function drawGradient(count: number, step: number): Float32Array {
  const random = createRandom('gradient', step);
  return Float32Array.from({ length: count }, () =>
    random.uniform() < 0.2 ? 0 : random.normal() * 10 ** -Math.floor(8 * random.uniform()),
  );
}

/** The tensor program of AdamW in ONNX Runtime: one step of it. */
async function openProgram(settings: AdamWSettings, count: number) {
  const number = (name: string) => input(name, 'float', [1]);
  const state = {
    parameter: parameter('parameter', [count]),
    sum: parameter('sum', [count]),
    squareSum: parameter('squareSum', [count]),
  };
  const step = {
    learningRate: number('learningRate'),
    correction1: number('correction1'),
    correction2: number('correction2'),
  };
  const gradient = input('gradient', 'float', [count]);
  const program = createProgram({
    name: 'adamw',
    inputs: [step.learningRate, step.correction1, step.correction2, gradient],
    outputs: Object.fromEntries(
      Object.entries(adamW(settings, step, state, gradient)).map(([name, tensor]) => [
        `next.${name}`,
        tensor,
      ]),
    ),
  });
  return openOrtSession(program, {
    executionProviders: ['cpu'],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
}

const stateNames = ['parameter', 'sum', 'squareSum'] as const;

/** The largest difference of any number between kernel and program after some steps with the same gradients. */
async function difference(
  count: number,
  settings: AdamWSettings,
  told: (numbers: AdamWNumbers) => AdamWNumbers = (numbers) => numbers,
): Promise<number> {
  const kernel = startedKernel(count);
  const session = await openProgram(settings, count);
  let state: Record<string, Float32Array> = {
    parameter: Float32Array.from(kernel.parameter),
    sum: new Float32Array(count),
    squareSum: new Float32Array(count),
  };
  let worst = 0;
  for (let step = 1; step <= 5; step += 1) {
    const gradient = drawGradient(count, step);
    const numbers = numbersOf(step);
    kernel.gradient.set(gradient);
    kernel.apply(adamWFactors(settings, told(numbers)));
    const feeds: Record<string, ort.Tensor> = {
      gradient: new ort.Tensor('float32', gradient, [count]),
    };
    for (const name of stateNames) feeds[name] = new ort.Tensor('float32', state[name]!, [count]);
    for (const [name, value] of Object.entries(numbers))
      feeds[name] = new ort.Tensor('float32', Float32Array.of(value as number), [1]);
    const results = await session.run(feeds);
    state = Object.fromEntries(
      stateNames.map((name) => [name, Float32Array.from(results[`next.${name}`]!.data as Float32Array)]),
    );
    for (const name of stateNames)
      kernel[name].forEach((value, i) => {
        worst = Math.max(worst, Math.abs(value - state[name]![i]!));
      });
  }
  await session.release();
  return worst;
}

describe('the AdamW kernel', () => {
  for (const count of [1, 3, 4, 1021])
    for (const [name, settings] of [
      ['decay', decaying],
      ['no decay', adamWDefaults],
    ] as const)
      it(`gives the same bytes as the tensor program in ONNX Runtime: ${count} elements, ${name}`, async () => {
        expect(await difference(count, settings)).toBe(0);
      });

  it('differs where it is told another learning rate', async () => {
    const other = (numbers: AdamWNumbers) => ({ ...numbers, learningRate: 1.001 * numbers.learningRate });
    expect(await difference(16, decaying, other)).toBeGreaterThan(0);
  });

  it('updates nothing where there are no elements', () => {
    expect(() => createAdamWKernel(0).apply(adamWFactors(decaying, numbersOf(1)))).not.toThrow();
  });

  it('says how much memory it did not get', () => {
    expect(() => createAdamWKernel(2 ** 40)).toThrow(
      /^no memory for 17592186044416 bytes of optimiser state/,
    );
  });
});
