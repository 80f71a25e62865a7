import {
  add,
  broadcastLike,
  constant,
  div,
  exp,
  greaterOrEqual,
  log,
  maximum,
  minimum,
  mul,
  neg,
  scalar,
  sigmoid,
  softplus,
  sqrt,
  square,
  stopGradient,
  sub,
  sum,
  type Tensor,
  toFloat,
  where,
} from '../../tensor/index.ts';
import type { OpCase, OpCases } from './op-case.ts';
import { batch, column, ids, p, pair, q, row, x, y, yes, z } from './operands.ts';

const positive = add(square(p), scalar(0.5));

const unary = (op: (a: Tensor) => Tensor): OpCase[] => [{ outputs: { a: op(x), b: op(y) }, positive: true }];
const binary = (op: (a: Tensor, b: Tensor) => Tensor): OpCase[] => [
  { outputs: { a: op(x, y), b: op(z, x), c: op(x, x), d: op(z, y) }, positive: true },
  {
    outputs: { a: op(broadcastLike(z, x), x), b: op(y, broadcastLike(z, x)), c: op(broadcastLike(z, x), z) },
  },
];

/** How the element-wise operations are tested. */
export const elementwiseCases: OpCases<
  | 'neg'
  | 'exp'
  | 'log'
  | 'sqrt'
  | 'sigmoid'
  | 'softplus'
  | 'stopGradient'
  | 'toFloat'
  | 'add'
  | 'sub'
  | 'mul'
  | 'div'
  | 'minimum'
  | 'maximum'
  | 'greaterOrEqual'
  | 'where'
> = {
  neg: {
    values: [[neg(constant([1, -2, 0.5])), [-1, 2, -0.5]]],
    gradients: [{ of: neg(p), by: [p] }],
    programs: unary(neg),
  },
  exp: {
    values: [[exp(constant([0, Math.LN2, -Math.LN2])), [1, 2, 0.5]]],
    gradients: [{ of: exp(p), by: [p] }],
    programs: unary(exp),
  },
  log: {
    values: [[log(constant([1, Math.E, 1 / Math.E])), [0, 1, -1]]],
    gradients: [{ of: log(positive), by: [p] }],
    programs: unary(log),
  },
  sqrt: {
    values: [[sqrt(constant([0, 4, 2.25])), [0, 2, 1.5]]],
    gradients: [{ of: sqrt(positive), by: [p] }],
    programs: unary(sqrt),
  },
  sigmoid: {
    values: [[sigmoid(constant([0, Math.log(3), -Math.log(3), 1000, -1000])), [0.5, 0.75, 0.25, 1, 0]]],
    gradients: [{ of: sigmoid(p), by: [p] }],
    programs: [...unary(sigmoid), { outputs: { a: sigmoid(mul(x, constant([40]))) } }],
  },
  softplus: {
    values: [[softplus(constant([0, Math.log(3), 1000, -1000])), [Math.LN2, 2 * Math.LN2, 1000, 0]]],
    gradients: [{ of: softplus(p), by: [p] }],
    programs: [...unary(softplus), { outputs: { a: softplus(mul(x, constant([40]))) } }],
  },
  stopGradient: {
    values: [[stopGradient(constant([3, -4])), [3, -4]]],
    gradients: [
      { of: stopGradient(p), by: [p], is: 'zero' },
      { of: mul(stopGradient(q), p), by: [p] },
    ],
    programs: [
      { outputs: { a: stopGradient(x), b: stopGradient(neg(x)), c: stopGradient(stopGradient(y)) } },
    ],
  },
  toFloat: {
    values: [
      [toFloat(constant([3, 0], [2], 'int')), [3, 0]],
      [toFloat(constant([1, 0], [2], 'bool')), [1, 0]],
      [toFloat(constant([0.5])), [0.5]],
    ],
    gradients: [
      { of: toFloat(mul(p, row)), by: [p, row] },
      { of: toFloat(greaterOrEqual(p, q)), by: [p], is: 'zero' },
    ],
    programs: [
      { outputs: { a: toFloat(ids), b: toFloat(yes), c: toFloat(x), d: toFloat(greaterOrEqual(x, y)) } },
    ],
  },
  add: {
    values: [[add(column, pair), [13, 15, 15, 17]]],
    gradients: [{ of: add(p, row), by: [p, row] }],
    programs: binary(add),
  },
  sub: {
    values: [[sub(column, pair), [-7, -9, -5, -7]]],
    gradients: [{ of: sub(row, p), by: [p, row] }],
    programs: binary(sub),
  },
  mul: {
    values: [[mul(column, pair), [30, 36, 50, 60]]],
    gradients: [
      { of: mul(p, row), by: [p, row] },
      { of: mul(sum(p, [1]), sum(p, [0])), by: [p] },
      { of: mul(batch, p), by: [batch, p] },
    ],
    programs: binary(mul),
  },
  div: {
    values: [[div(column, constant([2, 10])), [1.5, 0.3, 2.5, 0.5]]],
    gradients: [{ of: div(row, positive), by: [row, p] }],
    programs: [binary(div)[0]!],
  },
  minimum: {
    values: [[minimum(column, constant([4, 5])), [3, 3, 4, 5]]],
    gradients: [{ of: minimum(p, q), by: [p, q] }],
    programs: binary(minimum),
  },
  maximum: {
    values: [[maximum(column, constant([4, 5])), [4, 5, 5, 5]]],
    gradients: [{ of: maximum(p, row), by: [p, row] }],
    programs: binary(maximum),
  },
  greaterOrEqual: {
    values: [[greaterOrEqual(column, constant([4, 5])), [0, 0, 1, 1]]],
    gradients: [{ of: toFloat(greaterOrEqual(p, q)), by: [p, q], is: 'zero' }],
    programs: [...binary(greaterOrEqual), { outputs: { a: greaterOrEqual(x, x) } }],
  },
  where: {
    values: [[where(constant([1, 0], [2], 'bool'), column, constant([7])), [3, 7, 5, 7]]],
    gradients: [{ of: where(greaterOrEqual(q, scalar(0)), p, mul(p, row)), by: [p, row] }],
    programs: [{ outputs: { a: where(yes, x, y), b: where(greaterOrEqual(x, y), x, constant([0])) } }],
  },
};
