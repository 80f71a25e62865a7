import { FuzzError } from '@fuzzqe/core';
import type { AdamWSettings } from './adamw.ts';
import { adamWModule } from './adamw-module.ts';

/** A tensor with AdamW's two sums and its gradient, side by side in one memory. */
export interface AdamWKernel {
  readonly parameter: Float32Array;
  readonly sum: Float32Array;
  readonly squareSum: Float32Array;
  readonly gradient: Float32Array;
  /** Updates the tensor and its sums in place. */
  apply(factors: AdamWFactors): void;
}

/** The numbers of a step that are the same for all elements of a tensor, each rounded to float32. */
export interface AdamWFactors {
  /** `1 − ηλ` */
  readonly kept: number;
  readonly beta1: number;
  readonly beta2: number;
  /** `ε / b` */
  readonly epsilon: number;
  /** `a` */
  readonly length: number;
}

/** What changes from step to step: see `AdamWStep`. */
export interface AdamWNumbers {
  readonly learningRate: number;
  readonly correction1: number;
  readonly correction2: number;
}

/** The most elements that one kernel can hold: four arrays of them are 4 GiB, which is as far as WebAssembly counts. */
export const largestKernel: number = 2 ** 28 - 4;

const pageBytes = 65_536;

/**
 * AdamW for one tensor on the CPU, in one pass instead of eleven.
 *
 * The arithmetic of `adamW`, element by element in the same order and precision, so that the bytes are those of its
 * tensor program. A pass over large tensors is bound by memory: here it reads four arrays and writes three.
 *
 * `count` elements, at most `largestKernel`.
 * Source: as `adamW`.
 *
 * @throws FuzzError `runtime`: memory is short.
 */
export function createAdamWKernel(count: number): AdamWKernel {
  const padded = Math.ceil(count / 4) * 4;
  const bytes = padded * Float32Array.BYTES_PER_ELEMENT;
  const { memory, update } = openAdamWModule(4 * bytes);
  const array = (at: number): Float32Array => new Float32Array(memory.buffer, at * bytes, count);
  return {
    parameter: array(0),
    gradient: array(1),
    sum: array(2),
    squareSum: array(3),
    apply: ({ kept, beta1, beta2, epsilon, length }) => {
      if (count > 0) update(0, bytes, 2 * bytes, 3 * bytes, bytes, kept, beta1, beta2, epsilon, length);
    },
  };
}

/**
 * A memory with the functions of the module.
 *
 * @throws FuzzError `runtime`: memory is short.
 */
export function openAdamWModule(bytes: number): {
  readonly memory: WebAssembly.Memory;
  readonly update: (...numbers: number[]) => void;
  readonly accumulate: (target: number, source: number, end: number) => void;
} {
  const memory = allocate(bytes);
  const { exports } = new WebAssembly.Instance(adamWModule(), { adamw: { memory } });
  return {
    memory,
    update: exports['update'] as (...numbers: number[]) => void,
    accumulate: exports['accumulate'] as (target: number, source: number, end: number) => void,
  };
}

function allocate(bytes: number): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: Math.ceil(bytes / pageBytes) });
  } catch (error) {
    throw new FuzzError('runtime', `no memory for ${bytes} bytes of optimiser state`, {
      hint: 'Reduce model.dimension or model.bases, or free memory.',
      cause: error,
    });
  }
}

/** What the tensor program of `adamW` computes once a step, rounded as it rounds. */
export function adamWFactors(settings: AdamWSettings, numbers: AdamWNumbers): AdamWFactors {
  const f = Math.fround;
  const { beta1, beta2, epsilon, weightDecay, rateScale } = settings;
  const rate = f(f(numbers.learningRate) * f(rateScale));
  const root = f(Math.sqrt(f(f(numbers.correction2) * f(1 - beta2))));
  return {
    kept: f(1 - f(rate * f(weightDecay))),
    beta1: f(beta1),
    beta2: f(beta2),
    epsilon: f(f(epsilon) / root),
    length: f(f(rate * f(f(numbers.correction1) * f(1 - beta1))) / root),
  };
}
