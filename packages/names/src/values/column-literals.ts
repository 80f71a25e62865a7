import { keptBy } from '@fuzzqe/core';
import type { Attributes } from '../rows/attributes.ts';
import { readField } from '../rows/tsv-field.ts';
import { type Literal, literalOf } from './literal-span.ts';

/** The literals of a column. Shapes: [n] each. */
export interface ColumnLiterals {
  /** Ascending. */
  readonly ids: readonly number[];
  readonly literals: readonly Literal[];
}

const columnsOf = keptBy((_: Attributes) => new Map<number, ColumnLiterals>());

/** The literals of some columns, which are read once. Throws: FuzzError `data`, where the file of the values is damaged. */
export function columnLiterals(attributes: Attributes, columns: readonly number[]): ColumnLiterals[] {
  const known = columnsOf(attributes);
  const missing = columns.filter((column) => !known.has(column));
  if (missing.length > 0)
    for (const [column, read] of readColumns(attributes, missing)) known.set(column, read);
  return columns.map((column) => known.get(column)!);
}

function readColumns({ columns, rows }: Attributes, wanted: readonly number[]): Map<number, ColumnLiterals> {
  const found = new Map(wanted.map((column) => [column, { ids: [] as number[], literals: [] as Literal[] }]));
  for (const text of rows.texts())
    for (let at = 0; at < text.length; ) {
      const [first, end] = [text.indexOf('\t', at), text.indexOf('\n', at)];
      const second = text.indexOf('\t', first + 1);
      const lineEnd = end < 0 ? text.length : end;
      const column = Number(text.slice(first + 1, second));
      const of = found.get(column);
      const id = Number(text.slice(at, first));
      at = lineEnd + 1;
      if (of === undefined) continue;
      const { type } = columns[column]!;
      const written = readField(text.slice(second + 1, lineEnd), 'attribute-values.tsv');
      const literal = literalOf(type, written);
      if (literal === undefined) continue;
      of.ids.push(id);
      of.literals.push(literal);
    }
  return found;
}
