import { FuzzError } from '@fuzzqe/core';
import type { ElementType } from '../proto/element-type.ts';
import { sizeOf, type Value, zeros } from './value.ts';

/**
 * The dimensions that tensors have together: aligned at their ends, a dimension of 1 is repeated.
 *
 * @throws FuzzError `runtime`: two dimensions differ, and neither is 1.
 */
export function commonDims(shapes: readonly (readonly number[])[]): number[] {
  const rank = Math.max(...shapes.map((dims) => dims.length));
  return Array.from({ length: rank }, (_, axis) => {
    let common = 1;
    for (const dims of shapes) {
      const dim = dims[axis - rank + dims.length] ?? 1;
      if (dim !== 1 && common !== 1 && dim !== common)
        throw new FuzzError(
          'runtime',
          `the dimensions ${shapes.map((each) => `[${each}]`).join(' and ')} differ`,
        );
      if (dim !== 1) common = dim;
    }
    return common;
  });
}

/** How far apart the numbers of a tensor are along each of `dims`, to which it is repeated: 0 where it is the same one. */
function stepsTo(from: readonly number[], dims: readonly number[]): number[] {
  const steps = new Array<number>(dims.length).fill(0);
  let step = 1;
  for (let axis = dims.length - 1, own = from.length - 1; own >= 0; axis -= 1, own -= 1) {
    if (from[own] !== 1) steps[axis] = step;
    step *= from[own]!;
  }
  return steps;
}

/** A function of one, two or three numbers that stand at the same place. */
export type OfNumbers = (a: number, b: number, c: number) => number;

/**
 * Applies a function to the numbers of one to three tensors, repeated to the dimensions that they have together.
 *
 * @throws FuzzError `runtime`: the dimensions do not fit.
 */
export function combine(type: ElementType, inputs: readonly Value[], of: OfNumbers): Value {
  const common = commonDims(inputs.map(({ dims }) => dims));
  const result = zeros(type, common);
  const out = result.data;
  const isWhole = inputs.every(({ data }) => data.length === out.length);
  // Tensors of the same size are one long row.
  const dims = isWhole ? [out.length] : common;
  const width = dims.at(-1) ?? 1;
  const [a, b = a, c = a] = inputs as readonly [Value, Value?, Value?];
  const [first, second, third] = [a.data, b.data, c.data];
  const steps = [a, b, c].map((each) => stepsTo(isWhole ? dims : each.dims, dims));
  const [stepA, stepB, stepC] = steps.map((each) => each.at(-1) ?? 0) as [number, number, number];
  const place = new Array<number>(Math.max(dims.length - 1, 0)).fill(0);
  const at = [0, 0, 0];
  for (let from = 0; from < out.length; from += width) {
    let [i, j, k] = at as [number, number, number];
    const end = from + width;
    for (let to = from; to < end; to += 1) {
      out[to] = of(first[i]!, second[j]!, third[k]!);
      i += stepA;
      j += stepB;
      k += stepC;
    }
    for (let axis = place.length - 1; axis >= 0; axis -= 1) {
      place[axis]! += 1;
      const isOver = place[axis] === dims[axis];
      for (let which = 0; which < 3; which += 1)
        at[which]! += steps[which]![axis]! * (isOver ? 1 - dims[axis]! : 1);
      if (!isOver) break;
      place[axis] = 0;
    }
  }
  return result;
}

/** A tensor repeated to these dimensions, or to those that it has together with them. */
export function repeated(value: Value, dims: readonly number[]): Value {
  const target: Value = { type: value.type, dims, data: value.data.subarray(0, 0) };
  const common = commonDims([value.dims, target.dims]);
  if (sizeOf(common) === value.data.length) return { ...value, dims: common };
  const ones = zeros('bool', common);
  return combine(value.type, [value, ones], (a) => a);
}
