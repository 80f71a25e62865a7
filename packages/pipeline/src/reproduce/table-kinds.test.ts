import { expect, it } from 'vitest';
import { reproducedTables, tableNamed } from './table-kinds.ts';

it('a table is known by its name and by the paper’s number, and others are refused with both', () => {
  expect(['2', '3', '4', 'H'].map(tableNamed)).toEqual(reproducedTables);
  expect(reproducedTables.map(tableNamed)).toEqual(reproducedTables);
  for (const wrong of ['5', 'h', 'toString', ''])
    expect(() => tableNamed(wrong)).toThrow(`or 2, 3, 4, H, got ${JSON.stringify(wrong)}`);
});
