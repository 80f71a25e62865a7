import { FuzzError } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';
import { commonDims } from './broadcast.ts';
import { integerOf, type Kernel } from './kernel.ts';
import { permuted } from './movement.ts';
import { type Numbers, type Value, zeros } from './value.ts';

/** How matrices are multiplied: [rows, inner] · [inner, columns], each from where it begins. */
interface Product {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
}

/** Adds up in float64: a row of the result is rounded once. */
function multiply({ rows, inner, columns }: Product, left: Numbers, right: Numbers, result: Numbers): void {
  const sums = new Float64Array(columns);
  for (let row = 0; row < rows; row += 1) {
    sums.fill(0);
    for (let k = 0; k < inner; k += 1) {
      const factor = left[row * inner + k]!;
      const from = k * columns;
      for (let column = 0; column < columns; column += 1)
        sums[column] = sums[column]! + factor * right[from + column]!;
    }
    result.set(sums, row * columns);
  }
}

/** The same with the second matrix transposed: [rows, inner] · [columns, inner]ᵀ. */
function multiplyTransposed(
  { rows, inner, columns }: Product,
  left: Numbers,
  right: Numbers,
  result: Numbers,
): void {
  for (let row = 0; row < rows; row += 1) {
    const from = row * inner;
    let column = 0;
    // Four sums at a time: each waits for its own last addition alone.
    for (; column + 4 <= columns; column += 4) {
      const a = column * inner;
      const b = a + inner;
      const c = b + inner;
      const d = c + inner;
      let sumA = 0;
      let sumB = 0;
      let sumC = 0;
      let sumD = 0;
      for (let k = 0; k < inner; k += 1) {
        const factor = left[from + k]!;
        sumA += factor * right[a + k]!;
        sumB += factor * right[b + k]!;
        sumC += factor * right[c + k]!;
        sumD += factor * right[d + k]!;
      }
      const to = row * columns + column;
      result[to] = sumA;
      result[to + 1] = sumB;
      result[to + 2] = sumC;
      result[to + 3] = sumD;
    }
    for (; column < columns; column += 1) {
      let sum = 0;
      for (let k = 0; k < inner; k += 1) sum += left[from + k]! * right[column * inner + k]!;
      result[row * columns + column] = sum;
    }
  }
}

function expectInner(left: number, right: number): void {
  if (left !== right) throw new FuzzError('runtime', `matrices of ${left} columns and ${right} rows`);
}

/** A product of matrices, one for each place of the axes before the last two. */
function product(type: Value['type'], a: Value, b: Value): Value {
  const left = a.dims.length === 1 ? [1, ...a.dims] : a.dims;
  const right = b.dims.length === 1 ? [...b.dims, 1] : b.dims;
  const [rows, inner] = left.slice(-2) as [number, number];
  const columns = right.at(-1)!;
  expectInner(inner, right.at(-2)!);
  const outer = commonDims([left.slice(0, -2), right.slice(0, -2)]);
  const [before, after] = [a.dims.length === 1 ? [] : [rows], b.dims.length === 1 ? [] : [columns]];
  const result = zeros(type, [...outer, ...before, ...after]);
  const count = sizeOf(outer);
  const placed = (matrix: Value, dims: readonly number[], size: number): ((at: number) => Numbers) => {
    const own = sizeOf(dims.slice(0, -2));
    if (own !== count && own !== 1)
      throw new FuzzError('runtime', `[${left}] · [${right}]: some of the outer dimensions are repeated`);
    return (at) => (own === 1 ? matrix.data : matrix.data.subarray(at * size, (at + 1) * size));
  };
  const lefts = placed(a, left, rows * inner);
  const rights = placed(b, right, inner * columns);
  for (let at = 0; at < count; at += 1)
    multiply(
      { rows, inner, columns },
      lefts(at),
      rights(at),
      result.data.subarray(at * rows * columns, (at + 1) * rows * columns),
    );
  return result;
}

const gemm: Kernel = ([a, b, c], attributes) => {
  const alpha = attributes.get('alpha')?.f ?? 1;
  if (c !== undefined || alpha !== 1) throw new FuzzError('runtime', 'expected a product and nothing added');
  const left = integerOf(attributes, 'transA', 0) === 1 ? permuted(a!, [1, 0]) : a!;
  if (integerOf(attributes, 'transB', 0) === 0) return [product('float', left, b!)];
  const [rows, inner] = left.dims as readonly [number, number];
  const columns = b!.dims[0]!;
  expectInner(inner, b!.dims[1]!);
  const result = zeros('float', [rows, columns]);
  multiplyTransposed({ rows, inner, columns }, left.data, b!.data, result.data);
  return [result];
};

/** The operators that multiply matrices. Source: https://onnx.ai/onnx/operators/ (opset 21) */
export const productKernels: Readonly<Record<string, Kernel>> = {
  Gemm: gemm,
  MatMul: ([a, b]) => [product('float', a!, b!)],
  // Sums of products of bytes are whole numbers far below 2⁵³: the same in every order.
  MatMulInteger: ([a, b]) => [product('int32', a!, b!)],
};
