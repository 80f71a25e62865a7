import { createProgram, input, matmul, neg, parameter, transpose } from '@fuzzqe/core/tensor';
import { expect, it } from 'vitest';
import { decodeOnnx, describeOnnx, emitOnnx } from './index.ts';

it('describes a model in a few lines', () => {
  const x = input('x', 'float', ['batch', 3]);
  const program = createProgram({
    name: 'scorer',
    description: 'Scores every entity.',
    inputs: [x],
    outputs: { scores: matmul(neg(neg(x)), transpose(parameter('entities', [5, 3]), [1, 0])) },
  });
  const bytes = emitOnnx(program, {
    parameters: () => ({ kind: 'external', location: 'weights.bin', offset: 0, length: 60 }),
    metadata: { logic: 'product' },
    producerVersion: '1.0.0',
  });
  expect(describeOnnx(decodeOnnx(bytes))).toBe(
    [
      'scorer: Scores every entity.',
      '  written by fuzzqe 1.0.0, IR version 10, opset 21',
      '  in   x: float[batch, 3]',
      '  out  scores: float[batch, 5]',
      '  3 nodes: 2 Neg, 1 Gemm',
      '  1 constants and weights, 60 bytes, of which 60 in weights.bin',
      '  logic = product',
    ].join('\n'),
  );
});
