import { add, createProgram, evaluate, input, neg, numeric, parameter } from '@fuzzqe/core/tensor';
import { difference } from '@fuzzqe/core/testing';
import { describe, expect, it } from 'vitest';
import { checkOnnx, decodeOnnx, emitSwitch, type OnnxGraph, type Switch } from '../index.ts';
import { runJavascript } from '../testing/run-javascript.ts';
import { runOnnx, saveSample } from '../testing/run-onnx.ts';
import { sampleSwitch } from '../testing/sample-switch.ts';

const values = {
  x: numeric([2, 3], [0.5, -1, 2, 0.25, 0, -0.5]),
  ids: numeric([2], [3, 1]),
  shift: numeric([1], [0.125]),
  table: numeric([4, 3], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
  bias: numeric([3], [1, 2, 3]),
};
const bytes = emitSwitch(sampleSwitch);

/** Every graph inside a graph. */
function branchesOf(graph: OnnxGraph): OnnxGraph[] {
  return graph.node.flatMap(({ attribute }) =>
    attribute.flatMap(({ g }) => (g === undefined ? [] : [g, ...branchesOf(g)])),
  );
}

describe('a switch', () => {
  it.each([
    [-1, 0],
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    [5, 4],
  ])('selector %d runs case %d, as in float64', async (selector, chosen) => {
    const program = sampleSwitch.cases[chosen]!;
    const y = evaluate(program, values)['y']!;
    const given = { ...values, which: numeric([1], [selector]) };
    for (const got of [await runOnnx(bytes, given), runJavascript(bytes, given)])
      expect(difference(got['y']!, y)).toBeUndefined();
  });

  it('is a valid file with one copy of each parameter, in the order of inputs that it promises', () => {
    saveSample('switch', bytes);
    checkOnnx(bytes);
    const graph = decodeOnnx(bytes).graph!;
    expect(graph.input.map(({ name }) => name)).toEqual(['which', 'ids', 'x', 'shift', 'table', 'bias']);
    expect(graph.output.map(({ name }) => name)).toEqual(['y']);
    const inline = emitSwitch(sampleSwitch, {
      parameters: (name) => ({
        kind: 'inline',
        data: Float32Array.from(values[name as 'table' | 'bias'].data),
      }),
    });
    const weighted = decodeOnnx(inline).graph!;
    expect(weighted.initializer.map(({ name }) => name)).toEqual(expect.arrayContaining(['table', 'bias']));
    for (const branch of branchesOf(weighted))
      expect(branch.initializer.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['table']));
  });

  it('names branches and their values after their cases', () => {
    const graph = decodeOnnx(bytes).graph!;
    expect(branchesOf(graph).map(({ name }) => name)).toEqual([
      'rows..given',
      'rows',
      'given',
      'both..thrice',
      'both',
      'exp..thrice',
      'exp',
      'thrice',
    ]);
    const names = [graph, ...branchesOf(graph)].flatMap(({ node }) => node.flatMap(({ output }) => output));
    expect(names).toEqual(expect.arrayContaining(['which >= both', 'both/gather', 'both/y', 'y']));
    expect(new Set(names).size).toBe(names.length);
  });

  it('is the same, byte for byte, for the same programs', () => {
    expect(emitSwitch(sampleSwitch)).toEqual(bytes);
  });

  const x = input('x', 'float', ['n', 3]);
  const [first, second] = sampleSwitch.cases;
  it.each<[string, Partial<Switch>, RegExp]>([
    ['a single case', { cases: [first!] }, /expected two cases or more, got 1/],
    ['two cases of one name', { cases: [first!, first!] }, /two cases "rows"/],
    [
      'a selector of another kind',
      { selector: input('which', 'float', [1]) },
      /an input int\[1\], got input float\[1\]/,
    ],
    [
      'cases with other outputs',
      { cases: [first!, createProgram({ name: 'w', inputs: [x], outputs: { w: neg(x) } })] },
      /expected the outputs y float\[n, 3\], got w float\[n, 3\]/,
    ],
    [
      'an input that means two things',
      {
        cases: [
          second!,
          createProgram({
            name: 'other',
            inputs: [input('x', 'float', [3]), input('ids', 'int', ['n'])],
            outputs: { y: add(input('x', 'float', [3]), evaluateShape()) },
          }),
        ],
      },
      /"x" is input float\[n, 3\] and input float\[3\]/,
    ],
    [
      'an output with the name of a parameter',
      {
        cases: ['one', 'two'].map((name) =>
          createProgram({ name, inputs: [], outputs: { table: neg(parameter('table', [3])) } }),
        ),
      },
      /uses the name "table" twice/,
    ],
  ])('refuses %s', (_, change, message) => {
    expect(() => emitSwitch({ ...sampleSwitch, ...change })).toThrow(
      expect.objectContaining({ code: 'shape', message: expect.stringMatching(message) }),
    );
  });

  /** Something of shape [n, 3] that needs only `ids`. */
  function evaluateShape() {
    return sampleSwitch.cases[0]!.outputs[0]!.tensor;
  }
});
