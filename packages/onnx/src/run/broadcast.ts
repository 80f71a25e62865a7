import { broadcastShapes, broadcastStrides, forEachElement } from '@fuzzqe/core/tensor';
import type { ElementType } from '../proto/element-type.ts';
import { type Value, zeros } from './value.ts';

/**
 * The dimensions that tensors have together.
 *
 * @throws FuzzError `shape`: two differ, and neither is 1.
 */
export function commonDims(shapes: readonly (readonly number[])[]): readonly number[] {
  // Of numbers it makes numbers.
  return shapes.reduce((left, right) => broadcastShapes(left, right) as readonly number[]);
}

/** A function of one, two or three numbers that stand at the same place. */
export type OfNumbers = (a: number, b: number, c: number) => number;

/**
 * Applies a function to the numbers of one to three tensors, repeated to the dimensions that they have together, and with `least`.
 *
 * @throws FuzzError `shape`: the dimensions do not fit.
 */
export function combine(
  type: ElementType,
  inputs: readonly Value[],
  of: OfNumbers,
  least: readonly number[] = [],
): Value {
  const common = commonDims([least, ...inputs.map(({ dims }) => dims)]);
  const result = zeros(type, common);
  const out = result.data;
  const isWhole = inputs.every(({ data }) => data.length === out.length);
  // Tensors of the same size are one long row.
  const dims = isWhole ? [out.length] : common;
  const width = dims.at(-1) ?? 1;
  const [a, b = a, c = a] = inputs as readonly [Value, Value?, Value?];
  const [first, second, third] = [a.data, b.data, c.data];
  const strides = [a, b, c].map((each) => broadcastStrides(isWhole ? dims : each.dims, dims));
  const [stepA, stepB, stepC] = strides.map((each) => each.at(-1) ?? 0) as [number, number, number];
  const rows = strides.map((each) => each.slice(0, -1));
  forEachElement(dims.slice(0, -1), rows, (row, offsets) => {
    let [i, j, k] = offsets as [number, number, number];
    const end = (row + 1) * width;
    for (let to = row * width; to < end; to += 1) {
      out[to] = of(first[i]!, second[j]!, third[k]!);
      i += stepA;
      j += stepB;
      k += stepC;
    }
  });
  return result;
}
