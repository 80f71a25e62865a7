import { topK } from '@fuzzqe/core/ranking';
import { broadcastStrides, forEachElement, sizeOf } from '@fuzzqe/core/tensor';
import { axisOf, integerOf, type Kernel } from './kernel.ts';
import { type Value, zeros } from './value.ts';

/** Reduces along axes; without any all of them, unless the node says that this means none. */
const reduction =
  (start: number, of: (sum: number, x: number) => number): Kernel =>
  ([given, along], attributes) => {
    const x = given!;
    const rank = x.dims.length;
    const none = along === undefined || along.data.length === 0;
    if (none && integerOf(attributes, 'noop_with_empty_axes', 0) === 1) return [x];
    const axes = none ? x.dims.map((_, axis) => axis) : [...along.data].map((axis) => axisOf(axis, rank));
    const keeps = integerOf(attributes, 'keepdims', 1) === 1;
    const kept = x.dims.map((dim, axis) => (axes.includes(axis) ? 1 : dim));
    const sums = new Float64Array(sizeOf(kept)).fill(start);
    forEachElement(x.dims, [broadcastStrides(kept, x.dims)], (at, offsets) => {
      const to = offsets[0]!;
      sums[to] = of(sums[to]!, x.data[at]!);
    });
    const result = zeros(x.type, keeps ? kept : x.dims.filter((_, axis) => !axes.includes(axis)));
    result.data.set(sums);
    return [result];
  };

/** Of the last axis, the largest or the smallest; of equal numbers the first comes first. */
const best: Kernel = ([x, count], attributes) => {
  const { type, dims, data } = x!;
  const sign = integerOf(attributes, 'largest', 1) === 1 ? 1 : -1;
  const [width, k] = [dims.at(-1)!, count!.data[0]!];
  const of = [...dims.slice(0, -1), k];
  const [values, indices]: [Value, Value] = [zeros(type, of), zeros('int64', of)];
  for (let row = 0; row * width < data.length; row += 1) {
    const { ids, scores } = topK(
      Float64Array.from(data.subarray(row * width, (row + 1) * width), (number) => sign * number),
      k,
    );
    values.data.set(
      scores.map((score) => sign * score),
      row * k,
    );
    indices.data.set(ids, row * k);
  }
  return [values, indices];
};

/** The operators that make one number, or a few, of many. Source: https://onnx.ai/onnx/operators/ (opset 21) */
export const reductionKernels: Readonly<Record<string, Kernel>> = {
  ReduceMax: reduction(Number.NEGATIVE_INFINITY, Math.max),
  ReduceSum: reduction(0, (sum, x) => sum + x),
  TopK: best,
};
