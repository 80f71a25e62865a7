import type { AdamWFactors } from './adamw-kernel.ts';

/** A tensor with AdamW's two sums. Shapes: all [n, width]. */
export interface RowTensors {
  readonly parameter: Float32Array;
  readonly sum: Float32Array;
  readonly squareSum: Float32Array;
}

/** The gradients of some rows; those that come several times are added. Shapes: rows [m], values [m, width]. */
export interface RowGradient {
  readonly rows: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/**
 * AdamW on the rows that a step names, in place; the others stay as they are, with their sums and without decay.
 *
 * Each row has the bytes of `createAdamWKernel` for the same sums, gradient and factors. Time and memory are of the batch and not
 * of the table.
 *
 * Source: as `adamW`; rows as in PyTorch's SparseAdam.
 */
export function updateRows(
  { parameter, sum, squareSum }: RowTensors,
  { rows, values }: RowGradient,
  { kept, beta1, beta2, epsilon, length }: AdamWFactors,
): void {
  const width = values.length / rows.length;
  const places = new Map<number, number>();
  for (let i = 0; i < rows.length; i += 1) if (!places.has(rows[i]!)) places.set(rows[i]!, places.size);
  const gradient = new Float32Array(places.size * width);
  for (let i = 0; i < rows.length; i += 1) {
    const to = places.get(rows[i]!)! * width;
    for (let k = 0; k < width; k += 1) gradient[to + k]! += values[i * width + k]!;
  }
  const f = Math.fround;
  for (const [row, place] of places) {
    for (let k = 0; k < width; k += 1) {
      const at = row * width + k;
      const g = gradient[place * width + k]!;
      const total = f(f(sum[at]! * beta1) + g);
      const squareTotal = f(f(squareSum[at]! * beta2) + f(g * g));
      const direction = f(total / f(f(Math.sqrt(squareTotal)) + epsilon));
      sum[at] = total;
      squareSum[at] = squareTotal;
      parameter[at] = f(f(parameter[at]! * kept) - f(direction * length));
    }
  }
}
