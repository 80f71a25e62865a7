import { type AdamWKernel, largestKernel, openAdamWModule } from './adamw-kernel.ts';

/** A table and how many rows of gradients a step has for it. */
export interface RowKernelShape {
  /** Rows of the table. */
  readonly rows: number;
  readonly width: number;
  /** Rows of gradients, of which several may be for one row of the table. */
  readonly given: number;
}

/** A table with AdamW's two sums; `gradient` [given, width] is written before each step. */
export interface AdamWRowKernel extends Omit<AdamWKernel, 'apply'> {
  /** Updates the whole table in place; row i of the gradient belongs to row `rows[i]`, and the gradient is used up. */
  apply(factors: Parameters<AdamWKernel['apply']>[0], rows: ArrayLike<number>): void;
}

const numberBytes = Float32Array.BYTES_PER_ELEMENT;

/** Whether a kernel can be of this shape: its memory ends at 4 GiB, and it takes four numbers at a time. */
export function fitsRowKernel({ rows, width, given }: RowKernelShape): boolean {
  return width > 0 && width % 4 === 0 && (3 * rows + given + 1) * width <= 4 * largestKernel;
}

/**
 * AdamW for a table whose gradient comes in rows: no gradient of the whole table is written, read and cleared.
 *
 * The bytes of the result are those of `createAdamWKernel` with rows added up in their order. Shape: as `fitsRowKernel`.
 * Source: as `adamW`.
 *
 * @throws FuzzError `runtime`: memory is short.
 */
export function createAdamWRowKernel({ rows: count, width, given }: RowKernelShape): AdamWRowKernel {
  const rowBytes = width * numberBytes;
  const bytes = count * rowBytes;
  const { memory, update, accumulate } = openAdamWModule(3 * bytes + (given + 1) * rowBytes);
  const gradientAt = 3 * bytes;
  const zerosAt = gradientAt + given * rowBytes;
  const array = (at: number, length: number): Float32Array => new Float32Array(memory.buffer, at, length);
  // Each row of the table has the first row of its gradient, each row of a gradient the next; −1 ends a list.
  const first = new Int32Array(count);
  const next = new Int32Array(given);
  return {
    parameter: array(0, count * width),
    sum: array(bytes, count * width),
    squareSum: array(2 * bytes, count * width),
    gradient: array(gradientAt, given * width),
    apply({ kept, beta1, beta2, epsilon, length }, rows) {
      first.fill(-1);
      for (let i = given - 1; i >= 0; i -= 1) {
        next[i] = first[rows[i]!]!;
        first[rows[i]!] = i;
      }
      for (let row = 0; row < count; row += 1) {
        const at = row * rowBytes;
        const start = first[row]!;
        const gradient = start < 0 ? zerosAt : gradientAt + start * rowBytes;
        for (let i = start < 0 ? -1 : next[start]!; i >= 0; i = next[i]!)
          accumulate(gradient, gradientAt + i * rowBytes, gradient + rowBytes);
        // biome-ignore format: the offsets, then the numbers
        update(at, gradient, bytes + at, 2 * bytes + at, at + rowBytes, kept, beta1, beta2, epsilon, length);
      }
    },
  };
}
