import { describe, expect, it } from 'vitest';
import {
  add,
  constant,
  createProgram,
  evaluate,
  gather,
  input,
  type NumericTensors,
  neg,
  numeric,
  type Program,
  parameter,
  scalar,
  type Tensor,
} from './index.ts';

const programOf = (outputs: Readonly<Record<string, Tensor>>, inputs: readonly Tensor[] = []): Program =>
  createProgram({ name: 'p', inputs, outputs });

/** What a program without inputs gives, number by number. */
function results(outputs: Readonly<Record<string, Tensor>>, values: NumericTensors = {}): number[][] {
  return Object.values(evaluate(programOf(outputs), values)).map(({ data }) => Array.from(data));
}

describe('a program keeps one of each set of equal nodes', () => {
  it('where operation, operands, shape and numbers are the same', () => {
    const sum = (): Tensor => neg(add(parameter('x', [2]), constant([1, Number.POSITIVE_INFINITY])));
    const { nodes, outputs } = programOf({ a: sum(), b: sum() });
    expect(nodes.map(({ op }) => op)).toEqual(['parameter', 'constant', 'add', 'neg']);
    expect(outputs[0]!.tensor).toBe(outputs[1]!.tensor);
  });

  it('and keeps apart the constants that JSON writes alike', () => {
    const numbers = [0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const outputs = Object.fromEntries(numbers.map((number, i) => [`of ${i}`, scalar(number)]));
    expect(results(outputs)).toEqual(numbers.map((number) => [number]));
    expect(programOf(outputs).nodes).toHaveLength(numbers.length);
  });

  it('and keeps apart constants of one list of numbers in two shapes or of two kinds', () => {
    const [flat, column, ids] = [constant([0, 1]), constant([0, 1], [2, 1]), constant([0, 1], [2], 'int')];
    const { outputs } = programOf({ flat, column, rows: gather(parameter('t', [2, 3]), ids) });
    expect(outputs.map(({ tensor }) => tensor.shape)).toEqual([[2], [2, 1], [2, 3]]);
  });
});

describe('a name stands for one tensor of a program', () => {
  const refused: readonly (readonly [string, Tensor, Tensor, string])[] = [
    [
      'two inputs of different shapes',
      input('x', 'float', ['n', 3]),
      input('x', 'float', [3]),
      'input float[n, 3] and as input float[3]',
    ],
    [
      'two inputs of different kinds',
      input('x', 'float', [3]),
      input('x', 'int', [3]),
      'input float[3] and as input int[3]',
    ],
    [
      'two parameters of different shapes',
      parameter('x', [2, 3]),
      parameter('x', [3, 2]),
      'parameter float[2, 3] and as parameter float[3, 2]',
    ],
    [
      'two parameters of different kinds',
      parameter('x', [2], 'int8'),
      parameter('x', [2], 'half'),
      'parameter int8[2] and as parameter half[2]',
    ],
    [
      'an input and a parameter',
      input('x', 'float', [3]),
      parameter('x', [3]),
      'input float[3] and as parameter float[3]',
    ],
  ];
  it.each(refused)('so %s are refused with both declarations', (_, a, b, both) => {
    const inputs = [a, b].filter(({ op }) => op === 'input');
    expect(() => programOf({ a, b }, inputs)).toThrow(`program p: "x" is declared twice, as ${both}`);
  });

  it('and the same declaration may be made again', () => {
    const x = (): Tensor => input('x', 'float', ['n', 3]);
    expect(programOf({ a: x(), b: neg(x()) }, [x()]).inputs).toHaveLength(1);
  });

  it('and an input that is listed otherwise than it is used, or twice, or is none, is refused', () => {
    const x = input('x', 'float', [3]);
    expect(() => programOf({ y: neg(x) }, [input('x', 'float', ['n'])])).toThrow(
      '"x" is listed as input float[n] and used as input float[3]',
    );
    expect(() => programOf({ y: neg(x) }, [x, x])).toThrow('input "x" is listed twice');
    expect(() => programOf({ y: neg(x) }, [])).toThrow('input "x" is used but not listed');
    expect(() => programOf({ y: scalar(1) }, [x])).toThrow('no output needs the input {"name":"x"}');
    expect(() => programOf({ y: neg(x) }, [neg(x)])).toThrow('neg is listed among the inputs');
  });

  it('and a value of the wrong shape is told from the right one when the program runs', () => {
    const values = { t: numeric([2], [1, 2]) };
    expect(results({ y: neg(parameter('t', [2])) }, values)).toEqual([[-1, -2]]);
    expect(() => results({ y: neg(parameter('t', [3])) }, values)).toThrow('"t": expected [3], got [2]');
  });
});
