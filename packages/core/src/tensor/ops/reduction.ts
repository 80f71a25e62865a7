import { FuzzError } from '../../errors.ts';
import { topK as bestScores } from '../../ranking/top-k.ts';
import { forEachElement, type NumericTensor, stridesOf, zeros } from '../numeric.ts';
import {
  apply,
  commonTraits,
  expectDType,
  keepAttributes,
  type Operation,
  type Operations,
} from '../operation.ts';
import { normaliseAxes } from '../shape.ts';
import type { Tensor } from '../tensor.ts';

/** Attributes of reductions along axes and of the k largest. */
export interface ReductionAttributes {
  readonly sum: { readonly axes: readonly number[] };
  readonly max: { readonly axes: readonly number[] };
  readonly topKValues: { readonly dimension: string };
  readonly topKIndices: { readonly dimension: string };
}

function reduction<K extends 'sum' | 'max'>(
  start: number,
  combine: (a: number, b: number) => number,
): Operation<K> {
  return {
    traits: commonTraits,
    rename: keepAttributes,
    infer({ axes }, [x]) {
      expectDType(x!, 'float');
      return { shape: x!.shape.map((dim, axis) => (axes.includes(axis) ? 1 : dim)), dtype: 'float' };
    },
    evaluate({ axes }, [x]) {
      const result = zeros(x!.shape.map((dim, axis) => (axes.includes(axis) ? 1 : dim)));
      result.data.fill(start);
      const strides = stridesOf(result.shape).map((stride, axis) => (axes.includes(axis) ? 0 : stride));
      if (x!.shape.length === 0) return { shape: [], data: Float64Array.from(x!.data) };
      const [width, step] = [x!.shape.at(-1)!, strides.at(-1)!];
      // Row by row: the last axis needs no counting of the others.
      forEachElement(x!.shape.slice(0, -1), [strides.slice(0, -1)], (row, to) => {
        for (let j = 0; j < width; j += 1) {
          const at = to[0]! + j * step;
          result.data[at] = combine(result.data[at]!, x!.data[row * width + j]!);
        }
      });
      return result;
    },
  };
}

/** Where the `count` largest stand, by the ranking's heap: sorting millions for a few of them takes minutes. */
function bestOf(scores: NumericTensor['data'], count: number): ArrayLike<number> {
  if (count === 0) return [];
  const floats = scores instanceof Float32Array || scores instanceof Float64Array;
  return bestScores(floats ? scores : Float64Array.from(scores), count).ids;
}

function topK<K extends 'topKValues' | 'topKIndices'>(of: 'values' | 'indices'): Operation<K> {
  return {
    traits: { ...commonTraits, sizedBy: [1] },
    rename: (attributes, name) => ({ ...attributes, dimension: name(attributes.dimension) }),
    infer({ dimension }, [x, k]) {
      expectDType(x!, 'float');
      expectDType(k!, 'int');
      if (k!.shape.length !== 1 || k!.shape[0] !== 1) throw new FuzzError('shape', 'k must be one number');
      return { shape: [...x!.shape.slice(0, -1), dimension], dtype: of === 'values' ? 'float' : 'int' };
    },
    evaluate(_, [x, k]) {
      const width = x!.shape.at(-1)!;
      const count = k!.data[0]!;
      if (count < 0 || count > width)
        throw new FuzzError('range', `k must be in [0, ${width}], got ${count}`);
      const result = zeros([...x!.shape.slice(0, -1), count]);
      for (let row = 0; row * width < x!.data.length; row += 1) {
        const scores = x!.data.subarray(row * width, (row + 1) * width);
        const order = bestOf(scores, count);
        for (let i = 0; i < count; i += 1)
          result.data[row * count + i] = of === 'values' ? scores[order[i]!]! : order[i]!;
      }
      return result;
    },
  };
}

/** What they do. */
export const reductions: Operations<keyof ReductionAttributes> = {
  sum: reduction(0, (a, b) => a + b),
  max: reduction(Number.NEGATIVE_INFINITY, Math.max),
  topKValues: topK('values'),
  topKIndices: topK('indices'),
};

/** The sum along axes, which stay with dimension 1. */
export const sum = (x: Tensor, axes: readonly number[]): Tensor =>
  apply('sum', reductions.sum, { axes: normaliseAxes(axes, x.shape.length) }, x);
/** The largest element along axes, which stay with dimension 1. */
export const max = (x: Tensor, axes: readonly number[]): Tensor =>
  apply('max', reductions.max, { axes: normaliseAxes(axes, x.shape.length) }, x);
/** The k largest numbers of each row, largest first. Shapes: x [...n, width], k [1] → [...n, k], called `dimension`. */
export const topKValues = (x: Tensor, k: Tensor, dimension = 'k'): Tensor =>
  apply('topKValues', reductions.topKValues, { dimension }, x, k);
/** Where they stand; of equal numbers the lower index comes first. Shapes: x [...n, width], k [1] → [...n, k]. */
export const topKIndices = (x: Tensor, k: Tensor, dimension = 'k'): Tensor =>
  apply('topKIndices', reductions.topKIndices, { dimension }, x, k);
