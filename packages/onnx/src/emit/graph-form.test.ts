import {
  add,
  constant,
  createProgram,
  exp,
  input,
  labelled,
  matmul,
  mul,
  neg,
  parameter,
  reshape,
  scalar,
  stopGradient,
  sub,
  type Tensor,
  transpose,
} from '@fuzzqe/core/tensor';
import { inputsOf } from '@fuzzqe/core/testing';
import { describe, expect, it } from 'vitest';
import { decodeOnnx, type EmitOptions, emitOnnx } from '../index.ts';
import { structureProgram } from '../testing/sample-model.ts';

const x = input('x', 'float', ['n', 3]);

function emit(outputs: Record<string, Tensor>, options: EmitOptions = {}): Uint8Array {
  const inputs = inputsOf(Object.values(outputs));
  return emitOnnx(createProgram({ name: 'form', description: 'A form.', inputs, outputs }), options);
}
const graphOf = (outputs: Record<string, Tensor>) => decodeOnnx(emit(outputs)).graph!;
const opTypes = (outputs: Record<string, Tensor>) => graphOf(outputs).node.map(({ opType }) => opType);

describe('the form of an emitted graph', () => {
  it('is the same, byte for byte, for the same program', () => {
    const options = (keys: string[]): EmitOptions => ({
      metadata: Object.fromEntries(keys.map((key) => [key, `${key}!`])),
      producerVersion: '1.2.3',
    });
    const first = emitOnnx(structureProgram('inp'), options(['a', 'b', 'c']));
    expect(emitOnnx(structureProgram('inp'), options(['c', 'a', 'b']))).toEqual(first);
    expect(emitOnnx(structureProgram('inp'), options(['a', 'b']))).not.toEqual(first);
    expect(decodeOnnx(first).metadataProps.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  });

  it('says who wrote it, for which versions, and what it is', () => {
    expect(decodeOnnx(emit({ y: neg(x) }, { producerVersion: '1.2.3' }))).toMatchObject({
      irVersion: 10,
      producerName: 'fuzzqe',
      producerVersion: '1.2.3',
      docString: 'A form.',
      opsetImport: [{ domain: '', version: 21 }],
      graph: { name: 'form', docString: 'A form.' },
    });
  });

  it('lets a product read a table transposed instead of copying it', () => {
    const table = parameter('table', [5, 3]);
    expect(opTypes({ y: matmul(x, transpose(table, [1, 0])) })).toEqual(['Gemm']);
    expect(opTypes({ y: matmul(x, stopGradient(transpose(table, [1, 0]))) })).toEqual(['Gemm']);
    expect(opTypes({ y: matmul(transpose(x, [1, 0]), x) })).toEqual(['Gemm']);
    expect(opTypes({ y: matmul(x, transpose(table, [1, 0])), t: transpose(table, [1, 0]) })).toEqual([
      'Transpose',
      'Gemm',
    ]);
    expect(opTypes({ y: matmul(x, parameter('w', [3, 5])) })).toEqual(['MatMul']);
  });

  it('names nodes after labels, helpers after the tensor they help, and numbers what has no label', () => {
    const squashed = labelled('squashed', neg(exp(exp(x))));
    const graph = graphOf({ y: reshape(sub(squashed, scalar(1)), [3, 'n', 1]), z: labelled('last', neg(x)) });
    expect(graph.node.map(({ name }) => name)).toEqual(['exp', 'exp_2', 'squashed', 'sub', 'y', 'last']);
    expect(graph.node.map(({ output }) => output[0])).toEqual(['exp', 'exp_2', 'squashed', 'sub', 'y', 'z']);
    expect(graph.valueInfo.map(({ name }) => name)).toEqual(['exp', 'exp_2', 'squashed', 'sub']);
  });

  it('keeps labels apart from inputs and outputs of the same name', () => {
    const graph = graphOf({
      x_2: labelled('x', neg(x)),
      y: labelled('x', exp(x)),
      w: neg(labelled('y', sub(x, x))),
    });
    const names = graph.node.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('gives outputs that are no new value a node of their own', () => {
    const y = neg(x);
    const graph = graphOf({ a: x, b: y, c: stopGradient(y), d: scalar(2) });
    expect(graph.node.map(({ opType, input, output }) => `${opType} ${input} ${output}`)).toEqual([
      'Neg x b',
      'Identity x a',
      'Identity b c',
      'Identity constant d',
    ]);
  });

  it('writes equal constants once', () => {
    const a = mul(add(x, constant([1, 2, 3])), constant([1, 2, 3], [1, 3]));
    expect(graphOf({ y: a, z: add(neg(a), constant([1, 2, 3])) }).initializer).toHaveLength(2);
  });

  it('refuses names that clash', () => {
    expect(() => emit({ x: neg(x) })).toThrow('uses the name "x" twice');
    expect(() => emit({ w: neg(parameter('w', [3])) })).toThrow('uses the name "w" twice');
    expect(() => emit({ '': neg(x) })).toThrow('uses the name "" twice');
  });

  it('refuses a program without a name', () => {
    expect(() => emitOnnx(createProgram({ name: '', inputs: [x], outputs: { y: neg(x) } }))).toThrow(
      'needs a name',
    );
  });

  it('refuses a shape that cannot be known when the graph runs', () => {
    const flat = input('flat', 'float', ['all']);
    expect(() => emit({ y: labelled('folded', reshape(flat, ['p', 'q', 2])) })).toThrow(
      expect.objectContaining({
        code: 'shape',
        path: 'folded',
        message: expect.stringContaining('"p" and "q"'),
      }),
    );
  });
});
