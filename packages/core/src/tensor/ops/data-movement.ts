import { FuzzError } from '../../errors.ts';
import {
  broadcastStrides,
  forEachElement,
  type NumericTensor,
  stridesOf,
  zeros,
  zerosLike,
} from '../numeric.ts';
import { apply, commonTraits, expectDType, keepAttributes, type Operations } from '../operation.ts';
import {
  broadcastShapes,
  type Dim,
  formatShape,
  normaliseAxes,
  renameShape,
  type Shape,
  sameShape,
  sizeOf,
} from '../shape.ts';
import type { NoAttributes, Tensor } from '../tensor.ts';

/** Attributes of the operations that copy or rearrange numbers; only scatterAdd also adds them. */
export interface DataMovementAttributes {
  readonly transpose: { readonly permutation: readonly number[] };
  readonly reshape: { readonly shape: Shape };
  readonly broadcastLike: NoAttributes;
  readonly concat: { readonly axis: number };
  readonly slice: { readonly axis: number; readonly start: number; readonly end: number };
  readonly gather: { readonly distinct: boolean };
  readonly scatterAdd: { readonly rows: Dim; readonly distinct: boolean };
  readonly regroup: NoAttributes;
}

/** The operations that copy or rearrange numbers. */
export const dataMovement: Operations<keyof DataMovementAttributes> = {
  transpose: {
    traits: commonTraits,
    rename: keepAttributes,
    infer({ permutation }, [x]) {
      const axes = normaliseAxes(permutation, x!.shape.length);
      if (new Set(axes).size !== x!.shape.length)
        throw new FuzzError('shape', `[${permutation}] is not a permutation of ${x!.shape.length} axes`);
      return { shape: axes.map((axis) => x!.shape[axis]!), dtype: x!.dtype };
    },
    evaluate({ permutation }, [x]) {
      if (x!.shape.length === 2 && permutation[0] === 1) return transposed(x!);
      const strides = stridesOf(x!.shape);
      const result = zeros(permutation.map((axis) => x!.shape[axis]!));
      forEachElement(result.shape, [permutation.map((axis) => strides[axis]!)], (at, from) => {
        result.data[at] = x!.data[from[0]!]!;
      });
      return result;
    },
  },
  reshape: {
    traits: { ...commonTraits, result: 'view' },
    rename: ({ shape }, name) => ({ shape: renameShape(shape, name) }),
    infer({ shape }, [x]) {
      const numbers = (dims: Shape): number =>
        dims.reduce<number>((product, dim) => (typeof dim === 'number' ? product * dim : product), 1);
      const names = (dims: Shape): Dim[] => dims.filter((dim) => typeof dim === 'string').sort();
      if (sameShape(names(shape), names(x!.shape)) && numbers(shape) !== numbers(x!.shape))
        throw new FuzzError('shape', `cannot become ${formatShape(shape)}`);
      return { shape, dtype: x!.dtype };
    },
    evaluate({ shape }, [x], binding) {
      const target = binding.resolve(shape, x!.data.length);
      if (sizeOf(target) !== x!.data.length)
        throw new FuzzError('shape', `${x!.data.length} numbers cannot become ${formatShape(target)}`);
      return { shape: target, data: x!.data };
    },
  },
  broadcastLike: {
    traits: { ...commonTraits, result: 'view', repeats: true },
    rename: keepAttributes,
    infer(_, [x, reference]) {
      if (!sameShape(broadcastShapes(x!.shape, reference!.shape), reference!.shape))
        throw new FuzzError('shape', `cannot be broadcast to ${formatShape(reference!.shape)}`);
      return { shape: reference!.shape, dtype: x!.dtype };
    },
    evaluate(_, [x, reference]) {
      const result = zeros(reference!.shape);
      forEachElement(result.shape, [broadcastStrides(x!.shape, result.shape)], (at, from) => {
        result.data[at] = x!.data[from[0]!]!;
      });
      return result;
    },
  },
  concat: {
    traits: commonTraits,
    rename: keepAttributes,
    infer({ axis }, inputs) {
      const first = inputs[0]!;
      const rest = (shape: Shape): Shape => shape.filter((_, i) => i !== axis);
      for (const input of inputs) {
        if (input.shape[axis] === undefined || !sameShape(rest(input.shape), rest(first.shape)))
          throw new FuzzError('shape', `cannot be joined along axis ${axis}`);
        if (input.dtype !== first.dtype)
          throw new FuzzError('shape', 'cannot join different kinds of numbers');
      }
      const dims = inputs.map((input) => input.shape[axis]!);
      const dimension = dims.every((dim) => typeof dim === 'number')
        ? dims.reduce((sum, dim) => sum + dim, 0)
        : dims.join(' + ');
      return { shape: first.shape.map((dim, i) => (i === axis ? dimension : dim)), dtype: first.dtype };
    },
    evaluate({ axis }, inputs) {
      const shape = inputs[0]!.shape.map((dim, i) =>
        i === axis ? inputs.reduce((sum, x) => sum + x.shape[axis]!, 0) : dim,
      );
      const result = zeros(shape);
      const inner = stridesOf(shape)[axis]!;
      const outer = sizeOf(shape.slice(0, axis));
      let at = 0;
      for (const x of inputs) {
        const run = x.shape[axis]! * inner;
        for (let o = 0; o < outer; o += 1)
          result.data.set(x.data.subarray(o * run, (o + 1) * run), o * shape[axis]! * inner + at);
        at += run;
      }
      return result;
    },
  },
  slice: {
    traits: commonTraits,
    rename: keepAttributes,
    infer({ axis, start, end }, [x]) {
      const dim = x!.shape[axis];
      if (dim === undefined || start < 0 || end < start || (typeof dim === 'number' && end > dim))
        throw new FuzzError('shape', `has no elements ${start} to ${end} along axis ${axis}`);
      return { shape: x!.shape.map((d, i) => (i === axis ? end - start : d)), dtype: x!.dtype };
    },
    evaluate({ axis, start, end }, [x]) {
      const result = zeros(x!.shape.map((dim, i) => (i === axis ? end - start : dim)));
      const inner = stridesOf(x!.shape)[axis]!;
      const outer = sizeOf(x!.shape.slice(0, axis));
      for (let o = 0; o < outer; o += 1) {
        const from = (o * x!.shape[axis]! + start) * inner;
        result.data.set(x!.data.subarray(from, from + (end - start) * inner), o * (end - start) * inner);
      }
      return result;
    },
  },
  gather: {
    traits: commonTraits,
    rename: keepAttributes,
    infer(_, [table, indices]) {
      expectDType(indices!, 'int');
      return { shape: [...indices!.shape, ...table!.shape.slice(1)], dtype: table!.dtype };
    },
    evaluate(_, [table, indices]) {
      const [rows, ...rest] = table!.shape;
      const result = zerosLike(table!, [...indices!.shape, ...rest]);
      const width = sizeOf(rest);
      indices!.data.forEach((row, i) => {
        expectRow(row, rows!);
        result.data.set(table!.data.subarray(row * width, (row + 1) * width), i * width);
      });
      return result;
    },
  },
  scatterAdd: {
    traits: commonTraits,
    rename: ({ rows, distinct }, name) => ({ rows: typeof rows === 'string' ? name(rows) : rows, distinct }),
    infer({ rows }, [indices, updates]) {
      expectDType(indices!, 'int');
      if (!sameShape(updates!.shape.slice(0, indices!.shape.length), indices!.shape))
        throw new FuzzError('shape', `updates must begin with ${formatShape(indices!.shape)}`);
      return { shape: [rows, ...updates!.shape.slice(indices!.shape.length)], dtype: 'float' };
    },
    evaluate({ rows }, [indices, updates], binding) {
      const rest = updates!.shape.slice(indices!.shape.length);
      const result = zeros([...binding.resolve([rows]), ...rest]);
      const width = sizeOf(rest);
      indices!.data.forEach((row, i) => {
        expectRow(row, result.shape[0]!);
        for (let j = 0; j < width; j += 1) result.data[row * width + j]! += updates!.data[i * width + j]!;
      });
      return result;
    },
  },
  regroup: {
    traits: commonTraits,
    rename: keepAttributes,
    infer(_, [x, forward, backward]) {
      expectDType(forward!, 'int');
      expectDType(backward!, 'int');
      if (!sameShape(x!.shape.slice(0, -1), backward!.shape))
        throw new FuzzError(
          'shape',
          `rows ${formatShape(x!.shape.slice(0, -1))} need one backward index each`,
        );
      return { shape: [...forward!.shape, x!.shape.at(-1)!], dtype: x!.dtype };
    },
    evaluate(_, [x, forward]) {
      const width = x!.shape.at(-1)!;
      const rows = x!.data.length / width;
      const result = zeros([...forward!.shape, width]);
      forward!.data.forEach((row, i) => {
        expectRow(row, rows + 1);
        if (row < rows) result.data.set(x!.data.subarray(row * width, (row + 1) * width), i * width);
      });
      return result;
    },
  },
};

/** Throws 'range' for a row that a table does not have. */
function expectRow(row: number, rows: number): void {
  if (!(row >= 0 && row < rows)) throw new FuzzError('range', `row ${row} is outside [0, ${rows})`);
}

/** A matrix with its axes exchanged; tables of entities are transposed for every reference ranking. */
function transposed(matrix: NumericTensor): NumericTensor {
  const { data } = matrix;
  const [rows, columns] = matrix.shape as [number, number];
  const result = zerosLike(matrix, [columns, rows]);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1)
      result.data[column * rows + row] = data[row * columns + column]!;
  return result;
}

/**
 * `x` with its axes in another order.
 *
 * @example
 * const columns = transpose(parameter('entities', [3, 2]), [1, 0]); // [2, 3]
 */
export const transpose = (x: Tensor, permutation: readonly number[]): Tensor =>
  apply('transpose', dataMovement.transpose, { permutation: normaliseAxes(permutation, x.shape.length) }, x);
/** The same numbers, row by row, in another shape; a name that the program does not know stands for the rest. */
export const reshape = (x: Tensor, shape: Shape): Tensor =>
  apply('reshape', dataMovement.reshape, { shape }, x);
/** `x` repeated to the shape of `reference`. */
export const broadcastLike = (x: Tensor, reference: Tensor): Tensor =>
  sameShape(x.shape, reference.shape)
    ? x
    : apply('broadcastLike', dataMovement.broadcastLike, {}, x, reference);
/** Tensors one after the other along an axis; where a dimension is a name, so is their sum: `first + second`. */
export const concat = (inputs: readonly Tensor[], axis = 0): Tensor =>
  inputs.length === 1 ? inputs[0]! : apply('concat', dataMovement.concat, { axis }, ...inputs);
/** Elements `start` to `end` (exclusive) along an axis. */
export const slice = (x: Tensor, start: number, end: number, axis = 0): Tensor =>
  start === 0 && end === x.shape[axis] ? x : apply('slice', dataMovement.slice, { axis, start, end }, x);
/** What is known of indices. */
export interface IndexOptions {
  /** No two are the same, so that what is added to rows, here or in the gradient, meets at none. Default false. */
  readonly distinct?: boolean;
}

/** Rows of a table. Shapes: table [rows, ...rest], indices [...n] → [...n, ...rest]. */
export const gather = (table: Tensor, indices: Tensor, { distinct = false }: IndexOptions = {}): Tensor =>
  apply('gather', dataMovement.gather, { distinct }, table, indices);
/** The sum of the updates of each row. Shapes: indices [...n], updates [...n, ...rest] → [rows, ...rest]. */
export const scatterAdd = (
  indices: Tensor,
  updates: Tensor,
  rows: Dim,
  { distinct = false }: IndexOptions = {},
): Tensor => apply('scatterAdd', dataMovement.scatterAdd, { rows, distinct }, indices, updates);
/**
 * Rows in another arrangement, with zero rows where the arrangement has gaps: `y[i] = x[forward[i]]`.
 *
 * `backward` is the inverse map: the gradient is a gather too, so that no runtime has to add to rows from
 * more than one thread: `x[j]` stands at `y[backward[j]]`. An index equal to the number of rows means a zero row.
 *
 * Shapes: x [...n, width], forward [...m], backward [...n] → [...m, width].
 */
export const regroup = (x: Tensor, forward: Tensor, backward: Tensor): Tensor =>
  apply('regroup', dataMovement.regroup, {}, x, forward, backward);
