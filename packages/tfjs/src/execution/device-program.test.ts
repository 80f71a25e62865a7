import {
  createProgram,
  evaluate,
  gather,
  input,
  integerMatmul,
  mul,
  type NumericTensor,
  type NumericTensors,
  numeric,
  type OpName,
  type Program,
  parameter,
  softplus,
  sum,
  toFloat,
  topKValues,
  transpose,
} from '@fuzzqe/core/tensor';
import { caseProgram, difference, opCases, randomValues } from '@fuzzqe/core/testing';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../backend/backend.ts';
import { openBackend } from '../backend/open-backend.ts';
import { presentBackends } from '../testing/present-backends.ts';
import { openProgram } from './device-program.ts';
import { createDeviceTensors } from './device-tensors.ts';
import { download } from './upload.ts';

const { present, absent } = await presentBackends();

/** What a backend says to a program. */
async function runOn(
  backend: Backend,
  program: Program,
  values: NumericTensors,
): Promise<Record<string, NumericTensor>> {
  const tensors = createDeviceTensors(backend);
  for (const { attributes, dtype } of program.parameters)
    tensors.write(attributes.name, values[attributes.name]!, dtype);
  const opened = openProgram(program, tensors);
  const results = opened.run(values);
  const numbers: Record<string, NumericTensor> = {};
  for (const [name, tensor] of Object.entries(results)) {
    numbers[name] = await download(tensor);
    tensor.dispose();
  }
  opened.close();
  tensors.close();
  return numbers;
}

for (const { name, reason } of absent) it.skip(`tfjs ${name} (${reason})`, () => {});

describe.each(present)('tfjs %s', (name) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await openBackend(name);
    backend.activate();
  });
  afterAll(() => backend.close());

  for (const op of Object.keys(opCases) as OpName[])
    opCases[op].programs.forEach((opCase, i) => {
      it(`means by ${op} ${i + 1} what float64 means, and keeps nothing`, async () => {
        const program = caseProgram(op, opCase);
        const values = randomValues(program, `${op} ${i}`, opCase);
        const before = tf.memory().numTensors;
        const got = await runOn(backend, program, values);
        for (const [output, expected] of Object.entries(evaluate(program, values)))
          expect(difference(got[output]!, expected), output).toBeUndefined();
        expect(tf.memory().numTensors).toBe(before);
      });
    });

  it('is told apart from float64 where one number of one input differs by 1 %', async () => {
    const program = caseProgram('matmul', opCases.matmul.programs[0]!);
    const values = randomValues(program, 'disturbed');
    const x = Float64Array.from(values['x']!.data);
    x[4]! *= 1.01;
    const got = await runOn(backend, program, { ...values, x: { ...values['x']!, data: x } });
    const expected = evaluate(program, values);
    expect(difference(got['plain']!, expected['plain']!)).toMatch(/element \d+: /);
  });

  it('adds whole numbers exactly, beyond those that float32 holds, or refuses to', async () => {
    const inner = 2000;
    const a = input('a', 'uint8', [2, inner]);
    const b = input('b', 'int8', [inner, 3]);
    const program = createProgram({ name: 'sums', inputs: [a, b], outputs: { total: integerMatmul(a, b) } });
    const values = {
      a: numeric(
        [2, inner],
        Uint8Array.from({ length: 2 * inner }, (_, i) => 255 - (i % 3)),
      ),
      b: numeric(
        [inner, 3],
        Int8Array.from({ length: 3 * inner }, (_, i) => (i % 7 === 0 ? -128 : 127)),
      ),
    };
    const expected = evaluate(program, values)['total']!;
    expect(Math.max(...expected.data)).toBeGreaterThan(2 ** 24);
    if (name === 'webgpu') {
      await expect(runOn(backend, program, values)).rejects.toThrow(
        'tfjs webgpu cannot run integerMatmul: it adds whole numbers in float32, and sums of 2000 products',
      );
      return;
    }
    const { total } = await runOn(backend, program, values);
    expect(Array.from(total!.data)).toEqual(Array.from(expected.data));
  });

  it('frees what it made where a run fails half-way', async () => {
    const before = tf.memory().numTensors;
    const [x, k] = [input('x', 'float', ['n', 4]), input('k', 'int', [1])];
    const best = topKValues(mul(softplus(x), x), k);
    const program = createProgram({ name: 'best', inputs: [x, k], outputs: { best } });
    const opened = openProgram(program, createDeviceTensors(backend));
    const feeds = (count: number): NumericTensors => ({
      x: numeric([2, 4], [1, 2, 3, 4, 5, 6, 7, 8]),
      k: numeric([1], [count]),
    });
    expect(() => opened.run(feeds(9))).toThrow(
      expect.objectContaining({ code: 'runtime', message: expect.stringContaining(`tfjs ${name}: best: `) }),
    );
    const { best: two } = opened.run(feeds(2));
    expect(two!.shape).toEqual([2, 2]);
    two!.dispose();
    opened.close();
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('a program is refused', () => {
  const table = parameter('table', [3, 2]);
  const ids = input('ids', 'int', ['n']);
  const rows = createProgram({ name: 'rows', inputs: [ids], outputs: { rows: gather(table, ids) } });

  it('where the backend has no kernel for an operation, by both their names', async () => {
    const kernel = tf.getKernel('Softplus', 'cpu');
    const x = input('x', 'float', [2]);
    const program = createProgram({ name: 'soft', inputs: [x], outputs: { y: softplus(x) } });
    const backend = await openBackend('cpu');
    const tensors = createDeviceTensors(backend);
    tf.unregisterKernel('Softplus', 'cpu');
    try {
      expect(() => openProgram(program, tensors)).toThrow(
        'tfjs cpu cannot run softplus: it has no kernel Softplus',
      );
    } finally {
      tf.registerKernel(kernel);
      await backend.close();
    }
  });

  it('where a parameter is not on the device or has another shape', async () => {
    const tensors = createDeviceTensors(await openBackend('cpu'));
    expect(() => openProgram(rows, tensors)).toThrow('there is no tensor "table" on the device');
    tensors.write('table', numeric([2, 3], [1, 2, 3, 4, 5, 6]));
    expect(() => openProgram(rows, tensors)).toThrow('"table": expected [3, 2], got [2, 3]');
    tensors.close();
  });

  it('where a length would depend on numbers of the device', async () => {
    const tensors = createDeviceTensors(await openBackend('cpu'));
    tensors.write('count', numeric([1], [1]), 'int');
    const x = input('x', 'float', [1, 2]);
    const best = topKValues(x, parameter('count', [1], 'int'));
    const program = createProgram({ name: 'best', inputs: [x], outputs: { best } });
    const opened = openProgram(program, tensors);
    expect(() => opened.run({ x: numeric([1, 2], [1, 2]) })).toThrow('depends on "count"');
    tensors.close();
  });

  it('where an input is missing or does not fit', async () => {
    const tensors = createDeviceTensors(await openBackend('cpu'));
    const [x, y] = [input('x', 'float', ['n']), input('y', 'int', ['n'])];
    const program = createProgram({
      name: 'p',
      inputs: [x, y],
      outputs: { s: sum(mul(x, toFloat(y)), [0]) },
    });
    const opened = openProgram(program, tensors);
    expect(() => opened.run({ x: numeric([1], [1]) })).toThrow('no value for "y"');
    expect(() => opened.run({ x: numeric([1], [1]), y: numeric([2], [1, 1]) })).toThrow(
      '"y": expected [n], got [2]',
    );
  });
});

it('computes on its own backend, whichever another has just used', async () => {
  const x = input('x', 'float', [2, 2]);
  const program = createProgram({ name: 't', inputs: [x], outputs: { y: transpose(softplus(x), [1, 0]) } });
  const values = { x: numeric([2, 2], [1, 2, 3, 4]) };
  const [cpu, wasm] = [await openBackend('cpu'), await openBackend('wasm')];
  const [a, b] = [cpu, wasm].map((backend) => openProgram(program, createDeviceTensors(backend)));
  for (let i = 0; i < 2; i += 1) {
    a!.run(values);
    expect(tf.getBackend()).toBe('cpu');
    b!.run(values);
    expect(tf.getBackend()).toBe('wasm');
  }
});
