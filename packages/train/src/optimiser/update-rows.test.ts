import { createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { adamWDefaults } from './adamw.ts';
import { adamWFactors, createAdamWKernel } from './adamw-kernel.ts';
import { updateRows } from './update-rows.ts';

const [rows, width] = [6, 3];
const random = createRandom('rows');
const drawn = (length: number) => Float32Array.from({ length }, () => random.normal());
const factors = adamWFactors(
  { ...adamWDefaults, weightDecay: 0.3 },
  { learningRate: 0.01, correction1: 1 / (1 - 0.9 ** 3), correction2: 1 / (1 - 0.999 ** 3) },
);
const stateOf = () => ({
  parameter: drawn(rows * width),
  sum: drawn(rows * width),
  squareSum: drawn(rows * width).map(Math.abs),
});

describe('AdamW by rows', () => {
  it('gives the bytes of the kernel where every row is used, in any order and more than once', () => {
    const state = stateOf();
    const kernel = createAdamWKernel(rows * width);
    for (const name of ['parameter', 'sum', 'squareSum'] as const) kernel[name].set(state[name]);
    const used = [4, 0, 5, 1, 2, 3, 4];
    const values = drawn(used.length * width);
    used.forEach((row, i) => {
      for (let k = 0; k < width; k += 1) kernel.gradient[row * width + k]! += values[i * width + k]!;
    });
    kernel.apply(factors);
    updateRows(state, { rows: used, values }, factors);
    for (const name of ['parameter', 'sum', 'squareSum'] as const) expect(state[name]).toEqual(kernel[name]);
  });

  it('leaves the other rows as they are', () => {
    const state = stateOf();
    const before = structuredClone(state);
    updateRows(state, { rows: Int32Array.of(2), values: drawn(width) }, factors);
    for (const name of ['parameter', 'sum', 'squareSum'] as const) {
      const changed = state[name].findIndex((value, i) => value !== before[name][i]);
      const last = state[name].findLastIndex((value, i) => value !== before[name][i]);
      expect([changed, last].map((at) => Math.floor(at / width))).toEqual([2, 2]);
    }
  });
});
