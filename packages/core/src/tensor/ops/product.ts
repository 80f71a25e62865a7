import type { NumericTensor } from '../numeric.ts';

type Numbers = NumericTensor['data'];

/** How many columns one pass covers, so that what it reads and writes stays in the processor's first cache. */
const width = 512;
/** How many terms one pass adds: each result is read and written once for all of them. */
const depth = 4;
const packed = new Float64Array(width * depth);

/** Where the operands of a product of matrices begin. */
export interface ProductPlaces {
  readonly left: number;
  readonly right: number;
  readonly result: number;
}

/**
 * Adds the product of two matrices to `result`.
 *
 * Terms are added one after the other in the order of the inner axis, whatever the blocks are, so the result does not
 * depend on them. A factor 0 adds nothing, not even 0·∞. Shapes: left [rows, inner], right [inner, columns].
 */
export function addProduct(
  [rows, inner, columns]: readonly [rows: number, inner: number, columns: number],
  left: Numbers,
  right: Numbers,
  result: Float64Array,
  at: ProductPlaces,
): void {
  for (let column = 0; column < columns; column += width) {
    const count = Math.min(width, columns - column);
    for (let term = 0; term < inner; term += depth) {
      const terms = Math.min(depth, inner - term);
      // A copy in float64 keeps the inner loop on one kind of array, whatever the operand is.
      for (let k = 0; k < terms; k += 1) {
        const from = at.right + (term + k) * columns + column;
        packed.set(right.subarray(from, from + count), k * width);
      }
      for (let row = 0; row < rows; row += 1) {
        const factors = at.left + row * inner + term;
        const target = at.result + row * columns + column;
        const [a, b, c, d] = [left[factors]!, left[factors + 1]!, left[factors + 2]!, left[factors + 3]!];
        if (terms === depth && a !== 0 && b !== 0 && c !== 0 && d !== 0)
          addFour(result, target, count, a, b, c, d);
        else for (let k = 0; k < terms; k += 1) addOne(result, target, count, k, left[factors + k]!);
      }
    }
  }
}

function addFour(
  result: Float64Array,
  target: number,
  count: number,
  a: number,
  b: number,
  c: number,
  d: number,
): void {
  for (let j = 0; j < count; j += 1)
    result[target + j] =
      result[target + j]! +
      a * packed[j]! +
      b * packed[j + width]! +
      c * packed[j + 2 * width]! +
      d * packed[j + 3 * width]!;
}

function addOne(result: Float64Array, target: number, count: number, k: number, factor: number): void {
  if (factor === 0) return;
  const from = k * width;
  for (let j = 0; j < count; j += 1) result[target + j] = result[target + j]! + factor * packed[from + j]!;
}
