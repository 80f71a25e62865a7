import { FuzzError } from '@fuzzqe/core';
import { type DelimitedRecord, type Delimiter, forEachRecord } from '../files/delimited.ts';

/** What a column holds below the first line, as far as it was looked at. */
export interface ColumnSurvey {
  /** Cells that are not empty. */
  readonly filled: number;
  /** Whether all filled cells are numbers, dates or booleans; undefined where they are names, or there are none. */
  readonly kind?: CellKind;
  /** How many filled cells are numbers, dates or booleans. */
  readonly literals: number;
  /** How many different cells there are. */
  readonly distinct: number;
}

/** What cells are beside names. */
export type CellKind = 'numbers' | 'dates' | 'booleans';

/** A look at a table before it is read. */
export interface TableSurvey {
  /** The cells of the first records: three at most. */
  readonly rows: readonly (readonly string[])[];
  /** The line of the first record. */
  readonly line: number;
  /** Records below the first that were looked at. */
  readonly records: number;
  /** Whether all records below the first have as many cells as the first, as far as they were looked at. */
  readonly isEven: boolean;
  readonly columns: readonly ColumnSurvey[];
  /** Cells of the first record that occur again below, in any column, in the order of the columns. */
  readonly again: readonly number[];
}

/** So many records are looked at for what columns hold. */
const sample = 20_000;
/** Of a wider table, the first columns. */
const mostColumns = 200;

/**
 * Looks at a table: its first records, what its columns hold, and which names of the first record occur again.
 *
 * The first 20 000 records tell what columns hold. `watch` names the fields of the first record that are looked for in
 * the whole file; where it gives none, the first three are looked for among those records. Another record that
 * equals the first counts for nothing.
 */
export async function surveyTable(
  path: string,
  delimiter: Delimiter,
  watch: (first: readonly string[]) => readonly number[] | undefined,
): Promise<TableSurvey> {
  const rows: string[][] = [];
  let [line, records, isEven] = [1, 0, true];
  let watched: readonly { readonly field: number; readonly bytes: Buffer }[] = [];
  let isWhole = false;
  const again = new Set<number>();
  const columns: { filled: number; literals: number; kinds: Set<CellKind>; seen: Set<string> }[] = [];

  const takeFirst = (record: DelimitedRecord, cells: string[]): void => {
    line = record.line;
    const fields = watch(cells);
    isWhole = fields !== undefined;
    watched = (fields ?? [0, 1, 2].filter((field) => field < cells.length)).map((field) => ({
      field,
      bytes: Buffer.from(cells[field]!),
    }));
    for (let i = 0; i < Math.min(cells.length, mostColumns); i++)
      columns.push({
        ...{ filled: 0, literals: 0 },
        ...{ kinds: new Set(['numbers', 'dates', 'booleans']), seen: new Set() },
      });
  };
  const lookAt = (record: DelimitedRecord): void => {
    isEven &&= record.count === rows[0]!.length;
    for (const [i, column] of columns.entries()) {
      if (i >= record.count) break;
      const cell = record.text(i).trim();
      if (cell === '') continue;
      column.filled++;
      if (kindOfCell(cell) !== undefined) column.literals++;
      column.seen.add(cell);
      for (const kind of column.kinds) if (!cellKinds[kind].test(cell)) column.kinds.delete(kind);
    }
  };
  const lookForFirst = (record: DelimitedRecord): void => {
    const found = watched.filter(({ bytes }) => watched.some(({ field }) => isField(record, field, bytes)));
    if (found.length === 0 || equals(record, rows[0]!)) return;
    for (const { field } of found) again.add(field);
  };
  await forEachRecord(path, delimiter, (record) => {
    if (rows.length < 3) rows.push(textsOf(record));
    if (watched.length === 0) return takeFirst(record, rows[0]!);
    records++;
    if (records <= sample) lookAt(record);
    else if (!isWhole || again.size === watched.length) throw seenEnough;
    lookForFirst(record);
  }).catch((error: unknown) => {
    // What is wrong with the file is for the reading to say.
    if (error !== seenEnough && !(error instanceof FuzzError)) throw error;
  });
  return {
    rows,
    line,
    records: Math.min(records, sample),
    isEven,
    columns: columns.map(({ filled, literals, kinds, seen }) => {
      const [kind] = kinds;
      return { filled, literals, distinct: seen.size, ...(filled > 0 && kind !== undefined ? { kind } : {}) };
    }),
    again: [...again].sort((a, b) => a - b),
  };
}

/** Thrown to stop reading once the answer is known. */
const seenEnough = new Error('seen enough');

const cellKinds: Readonly<Record<CellKind, RegExp>> = {
  numbers: /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i,
  dates: /^[+-]?\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?$/,
  booleans: /^(?:true|false)$/i,
};

/** What a cell is; undefined for a name. */
export function kindOfCell(cell: string): CellKind | undefined {
  return (['numbers', 'dates', 'booleans'] as const).find((kind) => cellKinds[kind].test(cell.trim()));
}

function textsOf(record: DelimitedRecord): string[] {
  return Array.from({ length: record.count }, (_, field) => record.text(field));
}

function isField(record: DelimitedRecord, field: number, bytes: Buffer): boolean {
  if (field >= record.count) return false;
  const [start, end] = [record.start(field), record.end(field)];
  return end - start === bytes.length && record.bytes.compare(bytes, 0, bytes.length, start, end) === 0;
}

/** Whether a record has just those cells. */
export function equals(record: DelimitedRecord, cells: readonly string[]): boolean {
  return record.count === cells.length && cells.every((cell, i) => record.text(i) === cell);
}
