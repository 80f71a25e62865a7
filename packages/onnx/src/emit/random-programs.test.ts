import { FuzzError } from '@fuzzqe/core';
import {
  add,
  broadcastLike,
  concat,
  constant,
  createProgram,
  evaluate,
  gather,
  input,
  matmul,
  max,
  maximum,
  minimum,
  mul,
  neg,
  parameter,
  reshape,
  type Shape,
  scatterAdd,
  sigmoid,
  slice,
  softplus,
  stopGradient,
  sub,
  sum,
  type Tensor,
  toFloat,
  transpose,
  where,
} from '@fuzzqe/core/tensor';
import { difference, inputsOf, randomValues } from '@fuzzqe/core/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkOnnx, emitOnnx } from '../index.ts';
import { runJavascript } from '../testing/run-javascript.ts';
import { runOnnx } from '../testing/run-onnx.ts';

const ids = input('ids', 'int', ['n']);
const yes = input('yes', 'bool', ['n', 1]);
const leaves: readonly Tensor[] = [
  input('x', 'float', ['n', 4]),
  input('z', 'float', ['n', 1]),
  parameter('w', [4, 4]),
  parameter('b', [4]),
  constant([0.5]),
];

/** Another shape for the shapes that have one; others stay as they are. */
function fold(a: Tensor): Tensor {
  const other: Readonly<Record<string, Shape>> = {
    'n,4': ['n', 2, 2],
    'n,2,2': ['n', 4],
    '4,n': [2, 'n', 2],
    '4,4': [2, 8],
    '2,8': [4, 4],
  };
  return reshape(a, other[a.shape.join()] ?? a.shape);
}

/** One step of a random program; what does not fit two operands is left out. Numbers stay small. */
const steps: readonly ((a: Tensor, b: Tensor) => Tensor)[] = [
  neg,
  sigmoid,
  softplus,
  stopGradient,
  (a, b) => add(a, b),
  (a, b) => sub(a, b),
  (a, b) => mul(sigmoid(a), b),
  minimum,
  maximum,
  (a, b) => matmul(sigmoid(a), sigmoid(b)),
  (a, b) => matmul(sigmoid(a), transpose(b, [1, 0])),
  (a, b) => matmul(transpose(sigmoid(a), [1, 0]), stopGradient(b)),
  (a) => transpose(a, [1, 0]),
  fold,
  fold,
  (a) => reshape(a, [a.shape.join('×')]), // one name for each number of elements
  broadcastLike,
  (a, b) => add(broadcastLike(a, b), b),
  (a, b) => concat([a, b], 1),
  (a) => slice(a, 1, 3, 1),
  (a) => (a.shape[0] === 'n' || a.shape[0] === 4 ? gather(a, ids) : a), // ids are below 4
  (a) => scatterAdd(ids, a, 4),
  (a) => sum(a, [-1]),
  (a) => sum(a, [0]),
  (a) => max(a, [0, 1]),
  (a, b) => where(yes, a, b),
  (a) => mul(a, toFloat(yes)),
];

function grow(instructions: readonly (readonly [step: number, a: number, b: number])[]): Tensor[] {
  const pool = [...leaves];
  for (const [step, a, b] of instructions) {
    try {
      pool.push(steps[step]!(pool[a % pool.length]!, pool[b % pool.length]!));
    } catch (error) {
      if (!(error instanceof FuzzError)) throw error;
    }
  }
  return pool.slice(leaves.length);
}

it('random programs mean the same in onnxruntime and in JavaScript as in float64', async () => {
  const index = fc.nat(1000);
  const instruction = fc.tuple(fc.nat(steps.length - 1), index, index);
  await fc.assert(
    fc.asyncProperty(fc.array(instruction, { minLength: 4, maxLength: 40 }), async (instructions) => {
      const grown = grow(instructions);
      fc.pre(grown.length > 0);
      const outputs = Object.fromEntries(grown.slice(-4).map((tensor, i) => [`out${i}`, tensor]));
      const program = createProgram({ name: 'random', inputs: inputsOf(Object.values(outputs)), outputs });
      const values = randomValues(program, 'random');
      const expected = evaluate(program, values);
      const bytes = emitOnnx(program);
      checkOnnx(bytes);
      for (const got of [await runOnnx(bytes, values), runJavascript(bytes, values)])
        for (const [name, tensor] of Object.entries(expected))
          expect(difference(got[name]!, tensor, 100), name).toBeUndefined();
    }),
    { numRuns: 300, seed: 21 },
  );
});
