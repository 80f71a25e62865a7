import {
  concat,
  constant,
  createProgram,
  evaluate,
  exp,
  gather,
  greaterOrEqual,
  l2Norm,
  layerNorm,
  logSumExp,
  matmul,
  maximum,
  mul,
  neg,
  parameter,
  scalar,
  sizeOf,
  square,
  stopGradient,
  sub,
  sum,
  type Tensor,
  toFloat,
} from '@fuzzqe/core/tensor';
import { opCases, randomValues } from '@fuzzqe/core/testing';
import { entityEmbedding, plainModel } from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import { gradients } from './gradients.ts';

const x = parameter('x', [3, 4]);
const y = parameter('y', [3, 4]);
const row = parameter('row', [4]);
const square4 = parameter('square4', [4, 4]);

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
  const values = randomValues(forward, 'gradients');
  const results = evaluate(backward, values);
  let worst = 0;
  wrt.forEach((parameterNode, i) => {
    if (parameterNode.op !== 'parameter') throw new Error('only parameters are varied');
    const { name } = parameterNode.attributes;
    const gradient = results[`g${i}`]!;
    expect(gradient.shape).toEqual(parameterNode.shape);
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
  for (const [op, { gradients: cases }] of Object.entries(opCases))
    cases.forEach(({ of, by, is }, i) => {
      if (is === undefined)
        it(`of ${op} (${i + 1}) equals finite differences`, () => {
          expect(worstDifference(of, by)).toBeLessThan(1e-7);
        });
      else
        it(`${is === 'zero' ? 'does not pass' : 'is refused by'} ${op} (${i + 1})`, () => {
          const problem = is === 'zero' ? 'the loss does not depend on' : `${op} has no gradient`;
          expect(() => gradients(lossOf(of), by)).toThrow(problem);
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
        const program = createProgram({ name: 'g', inputs: [], outputs });
        const results = evaluate(program, randomValues(program, 'at 0'));
        for (const { data } of Object.values(results))
          expect(Array.from(data, Math.abs)).toEqual(new Array<number>(12).fill(0));
      }
    },
  );

  it('of the length of a row is 0 at 0, where √ has no finite slope', () => {
    const [gradient] = gradients(lossOf(l2Norm(sub(x, stopGradient(x)))), [x]);
    const program = createProgram({ name: 'g', inputs: [], outputs: { gradient: gradient! } });
    const { data } = evaluate(program, randomValues(program, 'at 0'))['gradient']!;
    expect(Array.from(data, Math.abs)).toEqual(new Array<number>(12).fill(0));
    expect(worstDifference(l2Norm(x), [x])).toBeLessThan(1e-7);
  });

  it('of an absolute value is its sign, and 0 at 0', () => {
    const absolute = (of: Tensor): Tensor => maximum(of, neg(of));
    expect(worstDifference(absolute(x), [x])).toBeLessThan(1e-6);
    const [gradient] = gradients(sum(absolute(x), [0, 1]), [x]);
    const program = createProgram({ name: 'slope', inputs: [], outputs: { gradient: gradient! } });
    const given = { shape: [3, 4], data: Float64Array.of(-2, 0, 3, -1e-9, 0, 0, 0, 0, 0, 0, 0, 1e9) };
    const found = Array.from(evaluate(program, { x: given })['gradient']!.data, (value) => value + 0);
    expect(found).toEqual([-1, 0, 1, -1, 0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it('of rows that several gathers take of one table is one addition', () => {
    const ids = (...rows: readonly number[]): Tensor => constant(rows, [rows.length], 'int');
    const taken = concat([gather(x, ids(2, 0)), square(gather(x, ids(0, 0, 1)))]);
    expect(worstDifference(taken, [x])).toBeLessThan(1e-6);
    const gradient = gradients(lossOf(taken), [x])[0]!;
    const { nodes } = createProgram({ name: 'gradient', inputs: [], outputs: { gradient } });
    expect(nodes.filter(({ op }) => op === 'scatterAdd')).toHaveLength(1);
  });

  it('notices a gradient that is 1 % too large', () => {
    expect(worstDifference(exp(x), [x], 1.01)).toBeGreaterThan(1e-4);
  });

  it('stops where it is told to', () => {
    const [gradient] = gradients(lossOf(mul(stopGradient(x), x)), [x]);
    const program = createProgram({ name: 'g', inputs: [], outputs: { gradient: gradient! } });
    const values = randomValues(program, 'stopped');
    const expected = Array.from(values['x']!.data, (value, i) => value * Math.sin(i + 1));
    Array.from(evaluate(program, values)['gradient']!.data).forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i]!, 12);
    });
  });

  it('says which tensor the loss does not depend on', () => {
    expect(() => gradients(lossOf(x), [y])).toThrow(/does not depend on .*"y"/);
    expect(() => gradients(lossOf(mul(toFloat(greaterOrEqual(x, y)), row)), [x])).toThrow(/does not depend/);
  });

  it('refuses a loss that is not one number', () => {
    expect(() => gradients(x, [x])).toThrow(/a loss is one number, got \[3, 4\]/);
  });
});
