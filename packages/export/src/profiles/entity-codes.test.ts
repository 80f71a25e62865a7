import { createRandom } from '@fuzzqe/core';
import { createProgram, evaluate, input, type NumericTensor, numeric } from '@fuzzqe/core/tensor';
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

/** The products of rows with the codes of all entities, as programs read them. */
function read(entities: number, layout: CodeLayout, codes: readonly number[], rows: NumericTensor): number[] {
  const config = { ...sampleConfig, dimension: d, entities };
  const given = input('rows', 'uint8', ['n', 2, d]);
  const products = entityCodeTable(config, layout).product(given);
  const program = createProgram({ name: 'read', inputs: [given], outputs: { products } });
  const found = evaluate(program, { rows, entityCodes: stored(entities, layout, codes) })['products']!;
  expect(found.shape).toEqual([rows.shape[0], 2, entities]);
  return Array.from(found.data);
}

/** The same without any layout. */
function expected(entities: number, codes: readonly number[], rows: NumericTensor): number[] {
  return Array.from({ length: rows.data.length / d }, (_, row) =>
    Array.from({ length: entities }, (__, e) => {
      let sum = 0;
      for (let i = 0; i < d; i += 1) sum += rows.data[row * d + i]! * codes[i * entities + e]!;
      return sum;
    }),
  ).flat();
}

describe.each(['matrix', 'panels'] as const)('codes of entities in %s', (layout) => {
  it.each([1, 127, 128, 129, 300])('are multiplied with rows: %i entities', (entities) => {
    const codes = drawn(d * entities, 255).map((code) => code - 127);
    const rows = numeric([3, 2, d], drawn(6 * d, 128));
    expect(read(entities, layout, codes, rows)).toEqual(expected(entities, codes, rows));
    // A code in another place is noticed.
    const other = codes.with(-1, codes.at(-1)! === 0 ? 1 : 0);
    const ones = numeric([1, 2, d], new Array(2 * d).fill(1));
    expect(read(entities, layout, other, ones)).not.toEqual(read(entities, layout, codes, ones));
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
