import { createRandom } from '@fuzzqe/core';
import { createProgram, evaluate, input, type NumericTensor, numeric, parameter } from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import { sampleConfig } from '../testing/sample.ts';
import { matrixOfPanels } from './column-panels.ts';
import { type CodeLayout, entityCodesTensor, entityCodeTable, placeOfCode } from './entity-codes.ts';

const d = 7;
const random = createRandom('entity codes');
const drawn = (count: number, below: number): number[] =>
  Array.from({ length: count }, () => random.below(below));

/** The codes [d, |E|] as they are stored. */
function stored(entities: number, layout: CodeLayout, codes: readonly number[]): NumericTensor {
  const config = { ...sampleConfig, dimension: d, entities };
  const { shape } = entityCodesTensor(config, layout);
  const data = new Int8Array(shape.reduce((product, size) => product * size, 1));
  const placeOf = placeOfCode(config, layout);
  codes.forEach((code, at) => {
    data[placeOf(Math.floor(at / entities), at % entities)] = code;
  });
  return numeric(shape, data);
}

/** What programs read from the codes of all entities, of two parts of them and of some. */
function read(
  entities: number,
  layout: CodeLayout,
  codes: readonly number[],
  values: Readonly<Record<'rows' | 'candidates' | 'scales', NumericTensor>>,
): Record<string, NumericTensor> {
  const config = { ...sampleConfig, dimension: d, entities };
  const table = entityCodeTable(config, layout);
  const rows = input('rows', 'uint8', ['n', 2, d]);
  const candidates = input('candidates', 'int', ['candidates']);
  const scales = parameter('scales', [entities]);
  const some = [table.all, ...table.parts(2), table.at(candidates)];
  const outputs = some.flatMap((part, i) => [
    [`products${i}`, part.product(rows)] as const,
    [`scales${i}`, part.choose(scales)] as const,
  ]);
  const program = createProgram({
    name: 'read',
    inputs: [rows, candidates],
    outputs: Object.fromEntries(outputs),
  });
  return evaluate(program, { ...values, entityCodes: stored(entities, layout, codes) });
}

/** Products with the codes of entities, and what a table has for them, without any layout. */
function expected(
  entities: number,
  codes: readonly number[],
  { rows, scales }: Readonly<Record<'rows' | 'scales', NumericTensor>>,
  ids: readonly number[],
): { products: number[]; scales: number[] } {
  const count = rows.data.length / d;
  const products = Array.from({ length: count }, (_, row) =>
    ids.map((e) => {
      let sum = 0;
      for (let i = 0; i < d; i += 1) sum += rows.data[row * d + i]! * codes[i * entities + e]!;
      return sum;
    }),
  );
  return { products: products.flat(), scales: ids.map((e) => scales.data[e]!) };
}

describe.each(['matrix', 'panels'] as const)('codes of entities in %s', (layout) => {
  it.each([1, 127, 128, 129, 300])('are multiplied in all, in parts and alone: %i entities', (entities) => {
    const codes = drawn(d * entities, 255).map((code) => code - 127);
    const candidates = [entities - 1, 0, Math.floor(entities / 2)];
    const values = {
      rows: numeric([3, 2, d], drawn(6 * d, 128)),
      candidates: numeric([3], candidates),
      scales: numeric([entities], drawn(entities, 1000)),
    };
    const got = read(entities, layout, codes, values);
    const ids = Array.from({ length: entities }, (_, e) => e);
    const check = (i: number, of: readonly number[]): void => {
      const { products, scales } = expected(entities, codes, values, of);
      expect(Array.from(got[`products${i}`]!.data)).toEqual(products);
      expect(Array.from(got[`scales${i}`]!.data)).toEqual(scales);
    };
    check(0, ids);
    const parts = Object.keys(got).length / 2 - 2;
    let from = 0;
    for (let i = 1; i <= parts; i += 1) {
      const to = from + got[`scales${i}`]!.data.length;
      check(i, ids.slice(from, to));
      from = to;
    }
    expect(from).toBe(entities);
    check(parts + 1, candidates);
    // A code in another place is noticed.
    const other = codes.with(-1, codes.at(-1)! === 0 ? 1 : 0);
    const damaged = read(entities, layout, other, {
      ...values,
      rows: numeric([1, 2, d], new Array(2 * d).fill(1)),
    });
    const whole = read(entities, layout, codes, {
      ...values,
      rows: numeric([1, 2, d], new Array(2 * d).fill(1)),
    });
    expect(Array.from(damaged['products0']!.data)).not.toEqual(Array.from(whole['products0']!.data));
  });
});

it('panels become the matrix again', () => {
  const codes = drawn(d * 300, 255).map((code) => code - 127);
  const panels = stored(300, 'panels', codes);
  expect(panels.shape).toEqual([3, d, 128]);
  const matrix = matrixOfPanels(panels, 300);
  expect(matrix.shape).toEqual([d, 300]);
  expect(Array.from(matrix.data)).toEqual(codes);
});

it('codes that float32 could not find in panels lie in a matrix', () => {
  const config = { ...sampleConfig, dimension: 400, entities: 50_000 };
  expect(entityCodesTensor(config, 'panels')).toEqual(entityCodesTensor(config, 'matrix'));
  expect(entityCodesTensor({ ...config, entities: 40_000 }, 'panels').shape).toEqual([313, 400, 128]);
});
