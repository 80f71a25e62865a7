import { constant, createProgram, gather, input, matmul, mul, parameter } from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import { operatorRules } from '../check/operators.ts';
import { decodeOnnx, emitOnnx, type OnnxModel, openOnnx, type Value } from '../index.ts';

const ids = input('ids', 'int', ['n']);
const table = parameter('table', [3, 2]);
const program = createProgram({
  name: 'rows',
  inputs: [ids],
  outputs: { result: mul(gather(table, ids), constant([2])) },
});
/** The table behind four bytes, so that it begins where float32 may be read, or one further, where it may not. */
const fileOf = (offset: number): Uint8Array =>
  new Uint8Array([...new Uint8Array(offset), ...new Uint8Array(Float32Array.of(0, 1, 2, 3, 4, 5).buffer)]);
const modelWith = (offset: number): OnnxModel =>
  decodeOnnx(
    emitOnnx(program, {
      parameters: () => ({ kind: 'external', location: 'weights.bin', offset, length: 24 }),
    }),
  );
const rows = (...data: number[]): Map<string, Value> =>
  new Map([['ids', { type: 'int32', dims: [data.length], data: Int32Array.from(data) }]]);

describe('openOnnx', () => {
  it.each([0, 4, 5])('reads weights of a file from byte %d on', (offset) => {
    const asked: string[] = [];
    const run = openOnnx(modelWith(offset), (location) => {
      asked.push(location);
      return fileOf(offset);
    });
    expect(run(rows(2, 0)).get('result')).toEqual({
      type: 'float',
      dims: [2, 2],
      data: Float32Array.of(8, 10, 0, 2),
    });
    expect(asked).toEqual(['weights.bin']);
  });

  it('gives other numbers for other weights', () => {
    const run = openOnnx(modelWith(0), () => fileOf(0).with(3, 0x40));
    expect(run(rows(0)).get('result')?.data[0]).toBe(4);
  });

  it('has every operator that FuzzQE writes', () => {
    const model = modelWith(0);
    const graph = model.graph!;
    const operators = [...operatorRules.keys()].filter((opType) => opType !== 'If');
    expect(operators.length).toBeGreaterThan(30);
    for (const opType of operators) {
      const node = [{ ...graph.node[0]!, opType }];
      expect(() => openOnnx({ ...model, graph: { ...graph, node } }, () => fileOf(0)), opType).not.toThrow();
    }
  });

  it('says what it cannot open, and what it cannot run', () => {
    const model = modelWith(0);
    const graph = model.graph!;
    const other = graph.node.map((node) => ({ ...node, opType: 'Loop' }));
    expect(() => openOnnx({ ...model, graph: { ...graph, node: other } }, () => fileOf(0))).toThrow(
      'expected an operator that FuzzQE writes, got "Loop"',
    );
    expect(() => openOnnx(model, () => fileOf(0).subarray(1))).toThrow('expected the numbers of float[3, 2]');
    const run = openOnnx(model, () => fileOf(0));
    expect(() => run(rows(3))).toThrow(/Gather.*index 3: expected one of 3/);
    expect(() => run(new Map())).toThrow('no value for "ids"');
    const [left, right] = [input('left', 'float', ['n', 'k']), input('right', 'float', ['k', 2])];
    const product = createProgram({
      name: 'product',
      inputs: [left, right],
      outputs: { result: matmul(left, right) },
    });
    const six: Value = { type: 'float', dims: [2, 3], data: new Float32Array(6) };
    const inputs = new Map([
      ['left', six],
      ['right', six],
    ]);
    expect(() => openOnnx(decodeOnnx(emitOnnx(product)), () => fileOf(0))(inputs)).toThrow(
      /MatMul.*3 columns and 2 rows/,
    );
  });
});
