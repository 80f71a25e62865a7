import { FuzzError } from '../errors.ts';

/** One dimension: a number, or the name of a dimension that is known only when the program runs (`batch`). */
export type Dim = number | string;

/** The dimensions of a tensor, outermost first. A scalar has shape [1]. */
export type Shape = readonly Dim[];

/**
 * What the numbers of a tensor mean; runtimes store them as float32, int32, one byte, float16, int8 and uint8.
 *
 * `half`, `int8` and `uint8` are for tables and quantised numbers: they become `float` before anything is computed,
 * except in a product of whole numbers.
 */
export type DType = 'float' | 'int' | 'bool' | 'half' | 'int8' | 'uint8';

/** `[batch, 64]`, for messages. */
export function formatShape(shape: Shape): string {
  return `[${shape.join(', ')}]`;
}

/** A shape with other names for its dimensions. */
export const renameShape = (shape: Shape, name: (dimension: string) => string): Shape =>
  shape.map((dim) => (typeof dim === 'string' ? name(dim) : dim));

/** Whether two shapes have the same dimensions, by number or by name. */
export const sameShape = (a: Shape, b: Shape): boolean =>
  a.length === b.length && a.every((dim, axis) => dim === b[axis]);

/**
 * The number of elements of a shape without names.
 *
 * @throws FuzzError `shape`: a dimension is only a name.
 */
export function sizeOf(shape: Shape): number {
  let size = 1;
  for (const dim of shape) {
    if (typeof dim !== 'number')
      throw new FuzzError('shape', `the size of ${formatShape(shape)} is not known yet`);
    size *= dim;
  }
  return size;
}

/**
 * The shape of an element-wise result, by numpy's broadcasting rule.
 *
 * @throws FuzzError `shape`: dimensions differ.
 */
export function broadcastShapes(left: Shape, right: Shape): Shape {
  const rank = Math.max(left.length, right.length);
  const result: Dim[] = [];
  for (let axis = 0; axis < rank; axis += 1) {
    const a = left[axis - rank + left.length] ?? 1;
    const b = right[axis - rank + right.length] ?? 1;
    if (a !== b && a !== 1 && b !== 1)
      throw new FuzzError('shape', `${formatShape(left)} and ${formatShape(right)} do not broadcast`);
    result.push(a === 1 ? b : a);
  }
  return result;
}

/**
 * Axes as non-negative numbers.
 *
 * @throws FuzzError `shape`: one is outside the rank.
 */
export function normaliseAxes(axes: readonly number[], rank: number): number[] {
  return axes.map((axis) => {
    const at = axis < 0 ? axis + rank : axis;
    if (!Number.isInteger(at) || at < 0 || at >= rank)
      throw new FuzzError('shape', `axis ${axis} is outside a tensor of rank ${rank}`);
    return at;
  });
}
