import { FuzzError } from '../errors.ts';
import { sizeOf } from './shape.ts';

/** Numbers in memory, row by row; every dtype is held as numbers (false is 0, true is 1). */
export interface NumericTensor {
  readonly shape: readonly number[];
  readonly data: Float64Array | Float32Array | Int32Array | Uint8Array | Int8Array;
}

/**
 * Numbers with their shape.
 *
 * @throws FuzzError `shape`: the count is not the product of the dimensions.
 * @example
 * const identity = numeric([2, 2], [1, 0, 0, 1]);
 */
export function numeric(
  shape: readonly number[],
  data: NumericTensor['data'] | readonly number[],
): NumericTensor {
  if (sizeOf(shape) !== data.length)
    throw new FuzzError('shape', `[${shape.join(', ')}] holds ${sizeOf(shape)} numbers, got ${data.length}`);
  return { shape, data: Array.isArray(data) ? Float64Array.from(data) : (data as NumericTensor['data']) };
}

/** A zero tensor of float64 numbers to be filled. */
export function zeros(shape: readonly number[]): {
  readonly shape: readonly number[];
  readonly data: Float64Array;
} {
  return { shape, data: new Float64Array(sizeOf(shape)) };
}

/** A zero tensor of another shape, in the array type of `like`: float64 would take twice the bytes of float32, or more. */
export function zerosLike(
  { data }: NumericTensor,
  shape: readonly number[],
): { readonly shape: readonly number[]; readonly data: NumericTensor['data'] } {
  const size = sizeOf(shape);
  if (data instanceof Float32Array) return { shape, data: new Float32Array(size) };
  if (data instanceof Int8Array) return { shape, data: new Int8Array(size) };
  return { shape, data: new Float64Array(size) };
}

/** How far apart neighbours along each axis lie in memory. */
export function stridesOf(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    strides[axis] = stride;
    stride *= shape[axis]!;
  }
  return strides;
}

/** Strides that read a tensor of `shape` as if it were broadcast to `target`: 0 along repeated axes. */
export function broadcastStrides(shape: readonly number[], target: readonly number[]): number[] {
  const own = stridesOf(shape);
  const offset = target.length - shape.length;
  return target.map((_, axis) => (axis < offset || shape[axis - offset] === 1 ? 0 : own[axis - offset]!));
}

/** Calls `visit(position, offsets)` for every element of `shape`, with the offset into each strided tensor. */
export function forEachElement(
  shape: readonly number[],
  strides: readonly (readonly number[])[],
  visit: (position: number, offsets: readonly number[]) => void,
): void {
  const size = sizeOf(shape);
  const index = new Array<number>(shape.length).fill(0);
  const offsets = strides.map(() => 0);
  for (let position = 0; position < size; position += 1) {
    visit(position, offsets);
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      index[axis]! += 1;
      const wrapped = index[axis] === shape[axis];
      for (let t = 0; t < strides.length; t += 1)
        offsets[t]! += wrapped ? -strides[t]![axis]! * (shape[axis]! - 1) : strides[t]![axis]!;
      if (!wrapped) break;
      index[axis] = 0;
    }
  }
}
