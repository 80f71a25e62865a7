import { createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { adamWDefaults } from './adamw.ts';
import { adamWFactors, createAdamWKernel, largestKernel } from './adamw-kernel.ts';
import { createAdamWRowKernel, fitsRowKernel } from './adamw-row-kernel.ts';

const [rows, width] = [6, 8];
const random = createRandom('row kernel');
const drawn = (length: number) => Float32Array.from({ length }, () => random.normal());
const factors = adamWFactors(
  { ...adamWDefaults, weightDecay: 0.3 },
  { learningRate: 0.01, correction1: 1 / (1 - 0.9 ** 3), correction2: 1 / (1 - 0.999 ** 3) },
);
const tensors = ['parameter', 'sum', 'squareSum'] as const;

/** The largest difference from the kernel of whole tensors after three steps, where the row kernel takes rows as `told`. */
function difference(told: (taken: readonly number[]) => readonly number[]): number {
  const taken = [4, 0, 4, 2, 2, 4];
  const whole = createAdamWKernel(rows * width);
  const byRow = createAdamWRowKernel({ rows, width, given: taken.length });
  const start = [drawn(rows * width), drawn(rows * width), drawn(rows * width).map(Math.abs)] as const;
  for (const [i, name] of tensors.entries()) for (const kernel of [whole, byRow]) kernel[name].set(start[i]!);
  for (let step = 0; step < 3; step += 1) {
    const values = drawn(taken.length * width);
    whole.gradient.fill(0);
    for (const [i, row] of taken.entries())
      for (let k = 0; k < width; k += 1) whole.gradient[row * width + k]! += values[i * width + k]!;
    whole.apply(factors);
    byRow.gradient.set(values);
    byRow.apply(factors, told(taken));
  }
  return Math.max(
    ...tensors.flatMap((name) => Array.from(byRow[name], (value, i) => Math.abs(value - whole[name][i]!))),
  );
}

describe('AdamW of a table whose gradient comes in rows', () => {
  it('gives the bytes of the kernel of whole tensors: rows that come once, several times and not at all', () => {
    expect(difference((taken) => taken)).toBe(0);
  });

  it('differs where a row of the gradient goes to another row of the table', () => {
    expect(difference((taken) => [5, ...taken.slice(1)])).toBeGreaterThan(0);
  });

  it('takes widths that four divides, up to 4 GiB', () => {
    const largest = Math.floor((4 * largestKernel) / 4 / 3) - 2;
    const fits = [
      { rows, width, given: 3 },
      { rows, width: 6, given: 3 },
      { rows: largest, width: 4, given: 3 },
      { rows: largest, width: 4, given: 30 },
    ].map(fitsRowKernel);
    expect(fits).toEqual([true, false, true, false]);
  });
});
