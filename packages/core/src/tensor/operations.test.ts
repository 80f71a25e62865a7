import { describe, expect, it } from 'vitest';
import { inputsOf, opCases } from '../testing/index.ts';
import {
  constant,
  createProgram,
  type DType,
  evaluate,
  gather,
  input,
  integerMatmul,
  l2Norm,
  matmul,
  operations,
  parameter,
  regroup,
  type Shape,
  scatterAdd,
  type Tensor,
  topKIndices,
  topKValues,
} from './index.ts';

const ids = (...numbers: readonly number[]): Tensor => constant(numbers, [numbers.length], 'int');

/** What a tensor of constants is, in float64. */
function numbersOf(result: Tensor): readonly number[] {
  const program = createProgram({ name: 'value', inputs: [], outputs: { result } });
  return Array.from(evaluate(program, {})['result']!.data);
}

describe('every operation', () => {
  const given = { x: { shape: [3], data: Float64Array.of(1, 2, 3) } };

  it('has tests', () => {
    expect(Object.keys(opCases).sort()).toEqual(Object.keys(operations).sort());
  });

  for (const [op, { values }] of Object.entries(opCases))
    values.forEach(([result, expected], i) => {
      it(`gives what was worked out by hand: ${op} ${i + 1}`, () => {
        const program = createProgram({ name: op, inputs: inputsOf([result]), outputs: { result } });
        const { data, shape } = evaluate(program, given)['result']!;
        expect(result.op).toBe(op);
        expect(shape).toHaveLength(result.shape.length);
        expect(data).toHaveLength(expected.length);
        expected.forEach((number, at) => {
          expect(data[at]).toBeCloseTo(number, 12);
        });
      });
    });
});

describe('a product of matrices', () => {
  const side = (
    name: string,
    dtype: DType,
    batch: Shape,
    [rows, columns]: readonly [number, number],
  ): Tensor => parameter(name, [...batch, rows, columns], dtype);

  it.each([
    [[], [], []],
    [[2], [2], [2]],
    [['n'], ['n'], ['n']],
    [
      [2, 5],
      [2, 5],
      [2, 5],
    ],
    [['n'], [], ['n']],
    [[], [2, 5], [2, 5]],
  ])('has the batch axes of both sides or of one: %j and %j give %j', (left, right, batch) => {
    const floats = matmul(side('a', 'float', left, [3, 4]), side('b', 'float', right, [4, 6]));
    const whole = integerMatmul(side('a', 'uint8', left, [3, 4]), side('b', 'int8', right, [4, 6]));
    expect([floats.shape, whole.shape]).toEqual([
      [...batch, 3, 6],
      [...batch, 3, 6],
    ]);
  });

  it.each([
    [[1], [5]],
    [[5], [1]],
    [[2, 1], [5]],
    [
      [2, 1],
      [1, 5],
    ],
    [[5], [2, 5]],
    [['n'], [5]],
  ])('refuses batch axes %j and %j, which nothing can evaluate or differentiate', (left, right) => {
    const problem = /batch axes .* differ: they must be equal, or one side a single matrix/;
    expect(() => matmul(side('a', 'float', left, [3, 4]), side('b', 'float', right, [4, 6]))).toThrow(
      problem,
    );
    expect(() => integerMatmul(side('a', 'uint8', left, [3, 4]), side('b', 'int8', right, [4, 6]))).toThrow(
      problem,
    );
  });

  it('refuses inner dimensions that differ, and vectors', () => {
    const a = side('a', 'float', [], [3, 4]);
    expect(() => matmul(a, side('b', 'float', [], [5, 6]))).toThrow('inner dimensions 4 and 5 differ');
    expect(() => matmul(a, parameter('b', [4]))).toThrow('both need two axes or more');
  });
});

describe('a row that a table does not have', () => {
  const table = constant([1, 2, 3], [3, 1]);

  it.each([-1, 3])('is an error when it is read, added to or rearranged: %d', (row) => {
    const outside = expect.objectContaining({
      code: 'range',
      message: expect.stringContaining(`row ${row} `),
    });
    expect(() => numbersOf(gather(table, ids(0, row)))).toThrow(outside);
    expect(() => numbersOf(scatterAdd(ids(0, row, 1), table, 3))).toThrow(outside);
  });

  it('means zeros in an arrangement only where it is the number of rows', () => {
    const arranged = (row: number): Tensor => regroup(table, ids(row, 0), ids(1, 0, 0));
    expect(numbersOf(arranged(3))).toEqual([0, 1]);
    expect(() => numbersOf(arranged(4))).toThrow('row 4 is outside [0, 4)');
    expect(() => numbersOf(arranged(-1))).toThrow('row -1 is outside [0, 4)');
  });

  it('is no error where a name stands for the number of rows and there are enough of them', () => {
    const [rows, like] = [input('rows', 'int', ['n']), input('like', 'float', ['n'])];
    const result = scatterAdd(rows, like, 'n');
    const program = createProgram({ name: 'p', inputs: [rows, like], outputs: { result } });
    const run = (...numbers: readonly number[]): number[] => {
      const values = {
        rows: { shape: [3], data: Float64Array.from(numbers) },
        like: { shape: [3], data: Float64Array.of(1, 2, 4) },
      };
      return Array.from(evaluate(program, values)['result']!.data);
    };
    expect(run(2, 2, 0)).toEqual([4, 0, 3]);
    expect(() => run(0, 1, 3)).toThrow('row 3 is outside [0, 3)');
  });
});

describe('the k largest of a row', () => {
  it('are those that sorting finds, equal ones by their places, and none where none are asked for', () => {
    // Of 3000 numbers there are 100 different ones.
    const rows = [7, 11].map((step) => Array.from({ length: 3000 }, (_, i) => ((i * step) % 100) - 50));
    const x = constant(rows.flat(), [2, 3000]);
    const k = (count: number): Tensor => constant([count], [1], 'int');
    const places = rows.map((row) => [...row.keys()].sort((a, b) => row[b]! - row[a]! || a - b));
    for (const count of [1, 45, 3000]) {
      const expected = places.flatMap((order) => order.slice(0, count));
      expect(numbersOf(topKIndices(x, k(count)))).toEqual(expected);
      const values = expected.map((place, i) => rows[i < count ? 0 : 1]![place]!);
      expect(numbersOf(topKValues(x, k(count)))).toEqual(values);
    }
    expect(numbersOf(topKValues(x, k(0)))).toEqual([]);
    expect(() => numbersOf(topKValues(x, k(3001)))).toThrow('k must be in [0, 3000], got 3001');
  });
});

describe('the length of a row', () => {
  it('is exact in float64 where the row is not nearly zero', () => {
    expect(numbersOf(l2Norm(constant([3, 4, 3e-6, 4e-6], [2, 2])))).toEqual([5, 5e-6]);
  });

  it('is as good as nothing at zeros', () => {
    expect(numbersOf(l2Norm(constant([0, 0], [1, 2])))[0]).toBeLessThanOrEqual(1e-16);
  });
});
