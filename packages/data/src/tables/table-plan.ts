import type { ProvenanceField } from '@fuzzqe/names';
import type { Delimiter } from '../files/delimited.ts';
import { provenanceColumns } from './titles.ts';

/** Whether the first line names the columns; `auto` looks at the file. */
export type HeaderOption = 'auto' | 'yes' | 'no';

/** Where the head, the relation and the tail of a fact stand in a record. */
export interface FactColumns {
  readonly head: number;
  /** A field, or the name of the relation of all records. */
  readonly relation: number | Buffer;
  readonly tail: number;
  /** Whether nearly all cells of the tails are numbers, dates or booleans, so that other cells are texts and no names. */
  readonly isLiteral?: boolean;
}

/** The column of each field of a provenance. */
export type SaidColumns = Readonly<Partial<Record<ProvenanceField, number>>>;

/** How a table is read. */
export interface TablePlan {
  readonly delimiter: Delimiter;
  /** The first record where it is no fact: titles, or the count of OpenKE. */
  readonly first?: readonly string[];
  /** What the first record is, for the note. */
  readonly firstIs: 'titles' | 'count' | 'fact';
  /** The facts of a record. */
  readonly facts: readonly FactColumns[];
  /** Whether each column is a relation of one: empty cells are no facts then, and numbers no names. */
  readonly isWide: boolean;
  /** The least number of fields of a record. */
  readonly needed: number;
  /** The only number of fields of a record; absent where there may be more. */
  readonly exact?: number;
  /** The columns that say where the fact of a record comes from, how sure it is and when it holds. */
  readonly said?: SaidColumns;
  /** The cells of the first fact. */
  readonly sample?: readonly string[];
  /** What a person should know about how the file is read. */
  readonly notes: readonly string[];
}

/** Head, relation, tail, one fact a record. */
export function planOf(delimiter: Delimiter, columns: FactColumns, more: Partial<TablePlan> = {}): TablePlan {
  const { head, relation, tail } = columns;
  const needed = Math.max(head, typeof relation === 'number' ? relation : 0, tail) + 1;
  const said = more.firstIs === 'titles' ? { said: provenanceColumns(more.first ?? [], columns) } : {};
  return { delimiter, firstIs: 'fact', facts: [columns], isWide: false, needed, notes: [], ...said, ...more };
}

/** The order of the columns where nothing says otherwise. */
export const defaultColumns = { head: 0, relation: 1, tail: 2 } as const;

/** Titles, or as many as a line shows. */
export function listOf(titles: readonly string[]): string {
  return `${titles.slice(0, 12).join(', ')}${titles.length > 12 ? `, … (${titles.length})` : ''}`;
}
