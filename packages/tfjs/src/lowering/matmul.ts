import * as tf from '@tensorflow/tfjs-core';
import type { Lowerings } from './lowering.ts';

/** float32 has every whole number up to 2²⁴, so a sum of this many products uint8 · int8 is exact. */
const exactTerms = Math.floor(2 ** 24 / (255 * 128));

/**
 * Products of matrices. Transpositions are nodes of their own and stay that: the wasm backend's product of a transposed
 * operand is its slow one.
 */
export const products: Lowerings<'matmul' | 'integerMatmul'> = {
  matmul: { kernels: ['BatchMatMul', 'Reshape'], run: (_, [a, b]) => product(a!, b!) },
  integerMatmul: {
    kernels: ['BatchMatMul', 'Reshape', 'Slice', 'Cast', 'Add'],
    refusal({ inputs: [a] }, backend) {
      const inner = a!.shape.at(-1)!;
      // With the range that `integerMatmul` asks for; a length that is known only at the run is trusted.
      const fits = typeof inner === 'string' || inner * 127 * 128 <= 2 ** 24;
      return backend !== 'webgpu' || fits
        ? undefined
        : `it adds whole numbers in float32, and sums of ${inner} products do not fit`;
    },
    run(_, [a, b]) {
      const inner = a!.shape.at(-1)!;
      let total: tf.Tensor | undefined;
      for (let start = 0; start < inner || total === undefined; start += exactTerms) {
        const end = Math.min(start + exactTerms, inner);
        const part = tf.cast(product(cut(a!, -1, start, end), cut(b!, -2, start, end)), 'int32');
        total = total === undefined ? part : tf.add(total, part);
      }
      return total;
    },
  },
};

/** One matrix product where all batches share the right operand, else one for each batch. */
function product(a: tf.Tensor, b: tf.Tensor): tf.Tensor {
  if (b.rank > 2 || a.rank === 2) return tf.matMul(a, b);
  const inner = a.shape.at(-1)!;
  const rows = tf.reshape(a, [a.size / inner, inner]);
  return tf.reshape(tf.matMul(rows, b), [...a.shape.slice(0, -1), b.shape.at(-1)!]);
}

/** Elements `start` to `end` along an axis that is counted from the last. */
function cut(x: tf.Tensor, fromLast: number, start: number, end: number): tf.Tensor {
  const axis = x.rank + fromLast;
  if (start === 0 && end === x.shape[axis]) return x;
  const begin = x.shape.map((_, i) => (i === axis ? start : 0));
  return tf.slice(
    x,
    begin,
    x.shape.map((dimension, i) => (i === axis ? end - start : dimension)),
  );
}
