import { broadcastStrides, forEachElement, type NumericTensor, zeros } from '../numeric.ts';
import {
  apply,
  commonTraits,
  expectDType,
  keepAttributes,
  type Operation,
  type Operations,
  type Traits,
} from '../operation.ts';
import { broadcastShapes, type DType } from '../shape.ts';
import type { NoAttributes, Tensor } from '../tensor.ts';

/** The element-wise operations; none has attributes. */
export type ElementwiseAttributes = Readonly<
  Record<UnaryName | BinaryName | 'toFloat' | 'where', NoAttributes>
>;

type UnaryName = 'neg' | 'exp' | 'log' | 'sqrt' | 'sigmoid' | 'softplus' | 'stopGradient';
type BinaryName = 'add' | 'sub' | 'mul' | 'div' | 'minimum' | 'maximum' | 'greaterOrEqual';

const broadcast: Traits = { ...commonTraits, repeats: true };

function unary<K extends UnaryName>(
  meaning: (x: number) => number,
  traits: Traits = commonTraits,
): Operation<K> {
  return {
    traits,
    rename: keepAttributes,
    infer(_, [x]) {
      expectDType(x!, 'float');
      return { shape: x!.shape, dtype: 'float' };
    },
    evaluate(_, [x]) {
      const result = zeros(x!.shape);
      for (let i = 0; i < result.data.length; i += 1) result.data[i] = meaning(x!.data[i]!);
      return result;
    },
  };
}

function binary<K extends BinaryName>(
  meaning: (a: number, b: number) => number,
  dtype: DType = 'float',
): Operation<K> {
  return {
    traits: broadcast,
    rename: keepAttributes,
    infer(_, [a, b]) {
      expectDType(a!, 'float');
      expectDType(b!, 'float');
      return { shape: broadcastShapes(a!.shape, b!.shape), dtype };
    },
    evaluate(_, [a, b]) {
      const shape = broadcastShapes(a!.shape, b!.shape) as number[];
      const result = zeros(shape);
      const [left, right] = [a!.data, b!.data];
      if (left.length === right.length && left.length === result.data.length)
        for (let i = 0; i < left.length; i += 1) result.data[i] = meaning(left[i]!, right[i]!);
      else {
        const width = shape.at(-1)!;
        const strides = [a!, b!].map((input) => broadcastStrides(input.shape, shape));
        const [leftStep, rightStep] = strides.map((each) => each.at(-1)!) as [number, number];
        // Row by row: the last axis needs no counting of the others.
        forEachElement(
          shape.slice(0, -1),
          strides.map((each) => each.slice(0, -1)),
          (row, from) => {
            const [l, r] = from as [number, number];
            for (let j = 0; j < width; j += 1)
              result.data[row * width + j] = meaning(left[l + j * leftStep]!, right[r + j * rightStep]!);
          },
        );
      }
      return result;
    },
  };
}

/** `log(1 + exp(x))` without overflow for large x and without loss for small x. */
function stableSoftplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}

/** The element-wise operations. */
export const elementwise: Operations<keyof ElementwiseAttributes> = {
  neg: unary((x) => -x),
  exp: unary(Math.exp),
  log: unary(Math.log),
  sqrt: unary(Math.sqrt),
  sigmoid: unary((x) => 1 / (1 + Math.exp(-x))),
  softplus: unary(stableSoftplus),
  stopGradient: unary((x) => x, { ...commonTraits, result: 'same' }),
  toFloat: {
    traits: commonTraits,
    rename: keepAttributes,
    infer: (_, [x]) => ({ shape: x!.shape, dtype: 'float' }),
    // What is float already, as a half is, stays as it is: a table in float64 would be twice as large.
    evaluate: (_, [x]) => ({
      shape: x!.shape,
      data: x!.data instanceof Float32Array ? x!.data : Float64Array.from(x!.data),
    }),
  },
  add: binary((a, b) => a + b),
  sub: binary((a, b) => a - b),
  mul: binary((a, b) => a * b),
  div: binary((a, b) => a / b),
  minimum: binary(Math.min),
  maximum: binary(Math.max),
  greaterOrEqual: binary((a, b) => (a >= b ? 1 : 0), 'bool'),
  where: {
    traits: broadcast,
    rename: keepAttributes,
    infer(_, [condition, a, b]) {
      expectDType(condition!, 'bool');
      expectDType(a!, 'float');
      expectDType(b!, 'float');
      return {
        shape: broadcastShapes(broadcastShapes(condition!.shape, a!.shape), b!.shape),
        dtype: 'float',
      };
    },
    evaluate(_, inputs) {
      const shape = inputs.map((input) => input.shape).reduce((x, y) => broadcastShapes(x, y) as number[]);
      const result = zeros(shape);
      const [condition, a, b] = inputs as [NumericTensor, NumericTensor, NumericTensor];
      const strides = inputs.map((input) => broadcastStrides(input.shape, shape));
      forEachElement(shape, strides, (at, from) => {
        result.data[at] = condition.data[from[0]!]! !== 0 ? a.data[from[1]!]! : b.data[from[2]!]!;
      });
      return result;
    },
  },
};

/** `-x`. */
export const neg = (x: Tensor): Tensor => apply('neg', elementwise.neg, {}, x);
/** `e^x`. */
export const exp = (x: Tensor): Tensor => apply('exp', elementwise.exp, {}, x);
/** `ln x`. */
export const log = (x: Tensor): Tensor => apply('log', elementwise.log, {}, x);
/** `√x`. */
export const sqrt = (x: Tensor): Tensor => apply('sqrt', elementwise.sqrt, {}, x);
/** `1 / (1 + e^-x)`. */
export const sigmoid = (x: Tensor): Tensor => apply('sigmoid', elementwise.sigmoid, {}, x);
/** `ln(1 + e^x)`. */
export const softplus = (x: Tensor): Tensor => apply('softplus', elementwise.softplus, {}, x);
/** `x`, as a constant for the gradient. */
export const stopGradient = (x: Tensor): Tensor => apply('stopGradient', elementwise.stopGradient, {}, x);
/** Ids or truth values as float numbers. */
export const toFloat = (x: Tensor): Tensor => apply('toFloat', elementwise.toFloat, {}, x);
/** `a + b`, broadcast. */
export const add = (a: Tensor, b: Tensor): Tensor => apply('add', elementwise.add, {}, a, b);
/** `a − b`, broadcast. */
export const sub = (a: Tensor, b: Tensor): Tensor => apply('sub', elementwise.sub, {}, a, b);
/** `a ∘ b`, broadcast. */
export const mul = (a: Tensor, b: Tensor): Tensor => apply('mul', elementwise.mul, {}, a, b);
/** `a / b`, broadcast. */
export const div = (a: Tensor, b: Tensor): Tensor => apply('div', elementwise.div, {}, a, b);
/** `min(a, b)`, broadcast. */
export const minimum = (a: Tensor, b: Tensor): Tensor => apply('minimum', elementwise.minimum, {}, a, b);
/** `max(a, b)`, broadcast. */
export const maximum = (a: Tensor, b: Tensor): Tensor => apply('maximum', elementwise.maximum, {}, a, b);
/** Whether `a ≥ b`, broadcast. */
export const greaterOrEqual = (a: Tensor, b: Tensor): Tensor =>
  apply('greaterOrEqual', elementwise.greaterOrEqual, {}, a, b);
/** `a` where the condition holds, else `b`, broadcast. */
export const where = (condition: Tensor, a: Tensor, b: Tensor): Tensor =>
  apply('where', elementwise.where, {}, condition, a, b);
