import { createRandom } from '@fuzzqe/core';
import { entityEmbedding, plainModel } from '@fuzzqe/core/model';
import {
  add,
  broadcastLike,
  concat,
  constant,
  createProgram,
  div,
  evaluate,
  exp,
  gather,
  greaterOrEqual,
  input,
  layerNorm,
  log,
  logSumExp,
  matmul,
  max,
  maximum,
  minimum,
  mul,
  type NumericTensor,
  neg,
  numeric,
  type OpName,
  operations,
  parameter,
  regroup,
  reshape,
  scalar,
  scatterAdd,
  sigmoid,
  sizeOf,
  slice,
  softplus,
  sqrt,
  square,
  stopGradient,
  sub,
  sum,
  type Tensor,
  toFloat,
  topKValues,
  transpose,
  where,
} from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import { gradients } from './gradients.ts';

const x = parameter('x', [3, 4]);
const y = parameter('y', [3, 4]);
const row = parameter('row', [4]);
const batch = parameter('batch', [2, 3, 4]);
const square4 = parameter('square4', [4, 4]);
const positive = add(square(x), scalar(0.5));
const rows = (...ids: number[]): Tensor => constant(ids, [ids.length], 'int');

/** One program for each operation, whose gradient is checked against finite differences. */
const cases: Partial<Record<OpName, readonly [Tensor, readonly Tensor[]][]>> = {
  parameter: [[x, [x]]],
  neg: [[neg(x), [x]]],
  exp: [[exp(x), [x]]],
  log: [[log(positive), [x]]],
  sqrt: [[sqrt(positive), [x]]],
  sigmoid: [[sigmoid(x), [x]]],
  softplus: [[softplus(x), [x]]],
  add: [[add(x, row), [x, row]]],
  sub: [[sub(row, x), [x, row]]],
  mul: [
    [mul(x, row), [x, row]],
    [mul(sum(x, [1]), sum(x, [0])), [x]],
    [mul(batch, x), [batch, x]],
  ],
  div: [[div(row, positive), [row, x]]],
  minimum: [[minimum(x, y), [x, y]]],
  maximum: [[maximum(x, row), [x, row]]],
  where: [[where(greaterOrEqual(y, scalar(0)), x, mul(x, row)), [x, row]]],
  matmul: [
    [matmul(x, transpose(y, [1, 0])), [x, y]],
    [matmul(batch, square4), [batch, square4]],
    [matmul(sum(x, [1]), slice(y, 0, 1)), [x, y]],
    [matmul(batch, transpose(batch, [0, 2, 1])), [batch]],
    // One matrix in several products and outside them, products of which one broadcasts.
    [add(matmul(matmul(x, square4), square4), matmul(slice(y, 0, 3), square4)), [x, y, square4]],
    [add(sum(matmul(batch, square4), [0, 1]), sum(mul(matmul(x, square4), row), [0])), [batch, row, square4]],
  ],
  transpose: [
    [mul(transpose(batch, [2, 0, 1]), scalar(2)), [batch]],
    [square(transpose(sum(square(x), [1]), [1, 0])), [x]],
  ],
  reshape: [[mul(reshape(x, [2, 6]), reshape(y, [2, 6])), [x, y]]],
  broadcastLike: [[mul(broadcastLike(row, x), y), [row, y]]],
  concat: [
    [square(concat([x, mul(y, scalar(3))], 0)), [x, y]],
    [square(concat([slice(x, 0, 1), slice(y, 1, 2), slice(x, 2, 3)])), [x, y]],
    // Columns, whose gradient a sum leaves unrepeated.
    [mul(sum(concat([slice(x, 0, 1, 1), sum(square(y), [1])], 1), [1]), sum(x, [1])), [x, y]],
  ],
  slice: [
    [square(slice(x, 1, 3, 1)), [x]],
    [mul(slice(x, 0, 2), slice(x, 1, 3)), [x]],
    [add(mul(slice(x, 0, 1), slice(x, 2, 3)), slice(x, 1, 2)), [x]],
  ],
  gather: [
    [square(gather(x, rows(2, 0, 2, 2))), [x]],
    [square(gather(slice(x, 1, 2), rows(0, 0, 0))), [x]],
  ],
  scatterAdd: [[square(scatterAdd(rows(1, 1, 0), x, 5)), [x]]],
  regroup: [
    [
      mul(regroup(x, constant([2, 0, 3, 1], [2, 2], 'int'), rows(1, 3, 0)), reshape(square4, [2, 2, 4])),
      [x, square4],
    ],
  ],
  sum: [
    [square(sum(x, [1])), [x]],
    [square(sum(batch, [0, 2])), [batch]],
    [add(sum(x, [0]), y), [x, y]],
  ],
  max: [[square(max(x, [1])), [x]]],
};

/** Operations through which nothing is learned: what their gradient must be instead. */
const withoutGradient: readonly OpName[] = [
  'input',
  'constant',
  'stopGradient',
  'toFloat',
  'greaterOrEqual',
  'topKValues',
  'topKIndices',
  'round',
  'toInt',
  'toUint8',
  'integerMatmul',
  'pick',
];

const shapes: Record<string, readonly number[]> = {
  x: [3, 4],
  y: [3, 4],
  row: [4],
  batch: [2, 3, 4],
  square4: [4, 4],
};

function draw(seed: number): Record<string, NumericTensor> {
  const random = createRandom('gradients', seed);
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [
      name,
      numeric(
        shape,
        Float64Array.from({ length: sizeOf(shape) }, () => random.normal()),
      ),
    ]),
  );
}

/** A weighted sum, so that no two elements have the same gradient. */
function lossOf(tensor: Tensor): Tensor {
  const weights = constant(
    Array.from({ length: sizeOf(tensor.shape) }, (_, i) => Math.sin(i + 1)),
    tensor.shape,
  );
  const axes = tensor.shape.map((_, axis) => axis);
  return sum(mul(tensor, weights), axes);
}

/** The largest difference between a gradient and central finite differences. */
function worstDifference(tensor: Tensor, wrt: readonly Tensor[], scale = 1): number {
  const loss = lossOf(tensor);
  const grads = gradients(loss, wrt);
  const forward = createProgram({ name: 'loss', inputs: [], outputs: { loss } });
  const backward = createProgram({
    name: 'gradients',
    inputs: [],
    outputs: Object.fromEntries(grads.map((g, i) => [`g${i}`, g])),
  });
  const values = draw(7);
  const results = evaluate(backward, values);
  let worst = 0;
  wrt.forEach((parameterNode, i) => {
    if (parameterNode.op !== 'parameter') throw new Error('only parameters are varied');
    const { name } = parameterNode.attributes;
    const gradient = results[`g${i}`]!;
    expect(gradient.shape).toEqual(shapes[name]);
    const data = values[name]!.data as Float64Array;
    for (let at = 0; at < data.length; at += 1) {
      const kept = data[at]!;
      const step = 1e-5;
      data[at] = kept + step;
      const above = evaluate(forward, values)['loss']!.data[0]!;
      data[at] = kept - step;
      const below = evaluate(forward, values)['loss']!.data[0]!;
      data[at] = kept;
      worst = Math.max(worst, Math.abs(scale * gradient.data[at]! - (above - below) / (2 * step)));
    }
  });
  return worst;
}

describe('gradients', () => {
  it('has a case for every operation of the tensor program', () => {
    const covered = [...Object.keys(cases), ...withoutGradient].sort();
    expect(covered).toEqual(Object.keys(operations).sort());
  });

  for (const [name, programs] of Object.entries(cases))
    programs.forEach(([tensor, wrt], i) => {
      it(`of ${name} (${i + 1}) equals finite differences`, () => {
        expect(worstDifference(tensor, wrt)).toBeLessThan(1e-7);
      });
    });

  it('of layer normalisation and log-sum-exp equals finite differences', () => {
    expect(worstDifference(layerNorm(mul(x, row), 1e-5), [x, row])).toBeLessThan(1e-7);
    expect(worstDifference(logSumExp(matmul(x, square4)), [x, square4])).toBeLessThan(1e-7);
  });

  it.each(['l1', 'l2'] as const)(
    'of entities with %s norm equals finite differences, and is 0 at 0',
    (norm) => {
      const config = { ...plainModel, entities: 3, relations: 2, dimension: 4 };
      const rectified = { ...config, entityMapping: 'boundedRectifier', entityNormalisation: norm } as const;
      expect(worstDifference(entityEmbedding(rectified, x), [x])).toBeLessThan(1e-7);
      // Rows that the rectifier maps to zeros, from below and from 0: their length is 0, where √ has no finite slope.
      for (const row of [sub(neg(square(x)), scalar(0.5)), sub(x, stopGradient(x))]) {
        const value = entityEmbedding(rectified, row);
        const [gradient] = gradients(lossOf(value), [x]);
        const outputs = { gradient: gradient!, value };
        const results = evaluate(createProgram({ name: 'g', inputs: [], outputs }), draw(2));
        for (const { data } of Object.values(results))
          expect(Array.from(data, Math.abs)).toEqual(new Array<number>(12).fill(0));
      }
    },
  );

  it('notices a gradient that is 1 % too large', () => {
    expect(worstDifference(exp(x), [x], 1.01)).toBeGreaterThan(1e-4);
  });

  it('stops where it is told to', () => {
    const [gradient] = gradients(lossOf(mul(stopGradient(x), x)), [x]);
    const values = draw(1);
    const program = createProgram({ name: 'g', inputs: [], outputs: { gradient: gradient! } });
    const expected = Array.from(values['x']!.data, (value, i) => value * Math.sin(i + 1));
    Array.from(evaluate(program, values)['gradient']!.data).forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i]!, 12);
    });
  });

  it('says which tensor the loss does not depend on', () => {
    expect(() => gradients(lossOf(x), [y])).toThrow(/does not depend on .*"y"/);
    expect(() => gradients(lossOf(mul(toFloat(greaterOrEqual(x, y)), row)), [x])).toThrow(/does not depend/);
  });

  it('refuses to differentiate what has no gradient', () => {
    const best = topKValues(x, input('k', 'int', [1]));
    expect(() => gradients(sum(slice(best, 0, 1, 1), [0, 1]), [x])).toThrow(/topKValues has no gradient/);
  });

  it('refuses a loss that is not one number', () => {
    expect(() => gradients(x, [x])).toThrow(/a loss is one number, got \[3, 4\]/);
  });
});
