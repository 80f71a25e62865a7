import { createRandom } from '@fuzzqe/core';
import {
  createProgram,
  evaluate,
  input,
  type NumericTensors,
  topKIndices,
  topKValues,
} from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import { checkOnnx, decodeOnnx, emitOnnx, encodeOnnx, type OnnxNode } from '../index.ts';
import { runJavascript } from '../testing/run-javascript.ts';
import { runOnnx } from '../testing/run-onnx.ts';

const rows = 3;

/** The k largest of rows of so many numbers. */
function ranking(width: number) {
  const scores = input('scores', 'float', ['n', width]);
  const k = input('k', 'int', [1]);
  return createProgram({
    name: 'ranking',
    inputs: [scores, k],
    outputs: { ids: topKIndices(scores, k), best: topKValues(scores, k) },
  });
}

/** Rows of so many numbers, of which each occurs often: `different` of them, from below 0 on. */
function tied(width: number, k: number, different: number): NumericTensors {
  const random = createRandom('ranking', width, k, different);
  const data = Float64Array.from({ length: rows * width }, () => random.below(different) - different / 2);
  return { scores: { shape: [rows, width], data }, k: { shape: [1], data: Float64Array.of(k) } };
}

const operatorsOf = (bytes: Uint8Array): string[] =>
  decodeOnnx(bytes).graph!.node.map(({ opType = '' }) => opType);

describe('rankings of long rows', () => {
  // 14 505 is no multiple of a group, 16 384 one of each; 40 000 numbers have other groups.
  const cases = [4096, 4097, 14_505, 16_384, 40_000].flatMap((width) =>
    [1, 10, 200, 3000].flatMap((k) => [2, 50, 1_000_000].map((different) => [width, k, different] as const)),
  );

  it.each(cases)(
    'of %d numbers the %d largest of %d values, of equal ones the first',
    async (width, k, different) => {
      const program = ranking(width);
      const bytes = emitOnnx(program);
      checkOnnx(bytes);
      const values = tied(width, k, different);
      const expected = evaluate(program, values);
      expect(await runOnnx(bytes, values)).toEqual(expected);
      expect(runJavascript(bytes, values)).toEqual(expected);
    },
  );

  it('takes all of them', async () => {
    const program = ranking(4096);
    const values = tied(4096, 4096, 100);
    expect(await runOnnx(emitOnnx(program), values)).toEqual(evaluate(program, values));
  });

  it('goes by groups where rows are long, and straight where they are short', () => {
    expect(operatorsOf(emitOnnx(ranking(4095)))).toEqual(['Cast', 'TopK', 'Cast']);
    expect(operatorsOf(emitOnnx(ranking(4096))).filter((opType) => opType === 'TopK')).toHaveLength(3);
  });

  it('needs its groups in order: with them by their maxima equal numbers change places', async () => {
    const model = decodeOnnx(emitOnnx(ranking(4096)));
    const byMaxima = (node: OnnxNode): OnnxNode =>
      node.opType === 'TopK' && node.attribute.some(({ name, i }) => name === 'largest' && i === 0)
        ? {
            ...node,
            attribute: node.attribute.map((each) => (each.name === 'largest' ? { ...each, i: 1 } : each)),
          }
        : node;
    const graph = { ...model.graph!, node: model.graph!.node.map(byMaxima) };
    const values = tied(4096, 200, 50);
    const found = await runOnnx(encodeOnnx({ ...model, graph }), values);
    const expected = evaluate(ranking(4096), values);
    expect(found['best']).toEqual(expected['best']);
    expect(found['ids']).not.toEqual(expected['ids']);
  });
});
