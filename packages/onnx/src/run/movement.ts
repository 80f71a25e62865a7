import { FuzzError } from '@fuzzqe/core';
import { forEachElement, sizeOf, stridesOf } from '@fuzzqe/core/tensor';
import { combine } from './broadcast.ts';
import { axisOf, integerOf, type Kernel } from './kernel.ts';
import { integers, storedValue, type Value, zeros } from './value.ts';

/** Where along an axis an index points, which may be counted from the end. */
function placeOf(index: number, dim: number): number {
  const place = axisOf(index, dim);
  if (place >= 0 && place < dim) return place;
  throw new FuzzError('runtime', `index ${index}: expected one of ${dim}`);
}

const numbersOf = (value: Value | undefined): number[] => [...(value?.data ?? [])];

/** A matrix of runs of numbers: what stands before an axis, along it, and after it. */
function aroundAxis(dims: readonly number[], axis: number): [before: number, along: number, after: number] {
  return [sizeOf(dims.slice(0, axis)), dims[axis]!, sizeOf(dims.slice(axis + 1))];
}

const concat: Kernel = (inputs, attributes) => {
  const given = inputs as readonly Value[];
  const first = given[0]!;
  const axis = axisOf(integerOf(attributes, 'axis', 0), first.dims.length);
  const along = given.reduce((sum, { dims }) => sum + dims[axis]!, 0);
  const result = zeros(first.type, first.dims.with(axis, along));
  const [before, , after] = aroundAxis(result.dims, axis);
  let at = 0;
  for (const { dims, data } of given) {
    const run = dims[axis]! * after;
    for (let row = 0; row < before; row += 1)
      result.data.set(data.subarray(row * run, (row + 1) * run), row * along * after + at);
    at += run;
  }
  return [result];
};

const gather: Kernel = ([table, indices], attributes) => {
  const { type, dims, data } = table!;
  const axis = axisOf(integerOf(attributes, 'axis', 0), dims.length);
  const [before, along, after] = aroundAxis(dims, axis);
  const result = zeros(type, [...dims.slice(0, axis), ...indices!.dims, ...dims.slice(axis + 1)]);
  const places = numbersOf(indices).map((index) => placeOf(index, along));
  let to = 0;
  for (let row = 0; row < before; row += 1)
    for (const place of places) {
      const from = (row * along + place) * after;
      result.data.set(data.subarray(from, from + after), to);
      to += after;
    }
  return [result];
};

const gatherElements: Kernel = ([table, indices], attributes) => {
  const { type, dims, data } = table!;
  const axis = axisOf(integerOf(attributes, 'axis', 0), dims.length);
  const [, along, after] = aroundAxis(dims, axis);
  const width = indices!.dims[axis]!;
  const result = zeros(type, indices!.dims);
  if (sizeOf(dims.with(axis, 1)) !== sizeOf(result.dims.with(axis, 1)))
    throw new FuzzError('runtime', `[${dims}] and [${result.dims}] differ beside axis ${axis}`);
  for (let at = 0; at < result.data.length; at += 1) {
    const row = Math.floor(at / (width * after));
    const place = placeOf(indices!.data[at]!, along);
    result.data[at] = data[(row * along + place) * after + (at % after)]!;
  }
  return [result];
};

const slice: Kernel = ([x, starts, ends, axes, steps]) => {
  if (numbersOf(steps).some((step) => step !== 1)) throw new FuzzError('runtime', 'expected steps of 1');
  let result = x!;
  numbersOf(starts).forEach((start, i) => {
    const { type, dims, data } = result;
    const axis = axisOf(axes?.data[i] ?? i, dims.length);
    const [before, along, after] = aroundAxis(dims, axis);
    const within = (place: number): number => Math.min(Math.max(axisOf(place, along), 0), along);
    const from = within(start);
    const length = Math.max(within(ends!.data[i]!) - from, 0);
    result = zeros(type, dims.with(axis, length));
    const run = length * after;
    for (let row = 0; row < before; row += 1) {
      const begin = (row * along + from) * after;
      result.data.set(data.subarray(begin, begin + run), row * run);
    }
  });
  return [result];
};

const reshape: Kernel = ([x, shape], attributes) => {
  const keepsZero = integerOf(attributes, 'allowzero', 0) === 1;
  const dims = numbersOf(shape).map((dim, i) => (dim === 0 && !keepsZero ? x!.dims[i]! : dim));
  const rest = dims.indexOf(-1);
  if (rest >= 0) dims[rest] = x!.data.length / -sizeOf(dims);
  if (sizeOf(dims) !== x!.data.length)
    throw new FuzzError('runtime', `[${x!.dims}] cannot become [${numbersOf(shape)}]`);
  return [{ ...x!, dims }];
};

/** A tensor with its axes in another order. */
export function permuted({ type, dims, data }: Value, axes: readonly number[]): Value {
  const strides = stridesOf(dims);
  const result = zeros(
    type,
    axes.map((axis) => dims[axis]!),
  );
  forEachElement(result.dims, [axes.map((axis) => strides[axis]!)], (at, offsets) => {
    result.data[at] = data[offsets[0]!]!;
  });
  return result;
}

const transpose: Kernel = ([x], attributes) => {
  const last = x!.dims.length - 1;
  return [permuted(x!, attributes.get('perm')?.ints ?? x!.dims.map((_, axis) => last - axis))];
};

const unsqueeze: Kernel = ([x, axes]) => {
  const rank = x!.dims.length + axes!.data.length;
  const added = numbersOf(axes).map((axis) => axisOf(axis, rank));
  const rest = [...x!.dims];
  const dims = Array.from({ length: rank }, (_, axis) => (added.includes(axis) ? 1 : rest.shift()!));
  return [{ ...x!, dims }];
};

const scatter: Kernel = ([x, indices, updates], attributes) => {
  const adds = attributes.get('reduction')?.s !== undefined;
  const { type, dims, data } = x!;
  const result: Value = { type, dims, data: data.slice() };
  const depth = indices!.dims.at(-1)!;
  const run = sizeOf(dims.slice(depth));
  for (let i = 0; i * depth < indices!.data.length; i += 1) {
    let at = 0;
    for (let axis = 0; axis < depth; axis += 1)
      at = at * dims[axis]! + placeOf(indices!.data[i * depth + axis]!, dims[axis]!);
    for (let j = 0; j < run; j += 1) {
      const update = updates!.data[i * run + j]!;
      result.data[at * run + j] = adds ? result.data[at * run + j]! + update : update;
    }
  }
  return [result];
};

/** The operators that copy numbers or say where they stand. Source: https://onnx.ai/onnx/operators/ (opset 21) */
export const movementKernels: Readonly<Record<string, Kernel>> = {
  Concat: concat,
  ConstantOfShape([shape], attributes) {
    const stored = attributes.get('value')?.t;
    const value = stored === undefined ? zeros('float', [1]) : storedValue(stored, () => new Uint8Array());
    const result = zeros(value.type, numbersOf(shape));
    result.data.fill(value.data[0]!);
    return [result];
  },
  Expand: ([x, shape]) => [combine(x!.type, [x!], (a) => a, numbersOf(shape))],
  Gather: gather,
  GatherElements: gatherElements,
  Reshape: reshape,
  ScatterND: scatter,
  Shape: ([x], attributes) => {
    const { dims } = x!;
    const end = attributes.get('end')?.i;
    return [integers(dims.slice(integerOf(attributes, 'start', 0), end))];
  },
  Slice: slice,
  Transpose: transpose,
  Unsqueeze: unsqueeze,
};
