import type { DelimitedRecord } from './delimited.ts';

/** Which field holds what. */
export interface TripleColumns {
  readonly head: number;
  readonly relation: number;
  readonly tail: number;
}

/** Whether the first line names the columns; `auto` looks at it. */
export type HeaderOption = 'auto' | 'yes' | 'no';

const titles: Readonly<Record<keyof TripleColumns, readonly string[]>> = {
  head: ['head', 'h', 'subject', 'subj', 's', 'source', 'src', 'from', 'start', 'head_id', 'entity1'],
  relation: ['relation', 'rel', 'r', 'predicate', 'pred', 'p', 'property', 'edge', 'type', 'relation_id'],
  tail: ['tail', 't', 'object', 'obj', 'o', 'target', 'dst', 'to', 'end', 'tail_id', 'entity2'],
};

/** The order of the columns where nothing says otherwise. */
export const defaultColumns: TripleColumns = { head: 0, relation: 1, tail: 2 };

/** The order of the columns as a first record of titles names them; undefined where three of them are no titles. */
export function columnsFromHeader(record: DelimitedRecord): TripleColumns | undefined {
  const fields = Array.from({ length: record.count }, (_, field) =>
    record
      .text(field)
      .trim()
      .toLowerCase()
      .replace(/^[#:?]+/, ''),
  );
  const place = (column: keyof TripleColumns): number =>
    fields.findIndex((field) => titles[column].includes(field));
  const columns = { head: place('head'), relation: place('relation'), tail: place('tail') };
  return Object.values(columns).includes(-1) ? undefined : columns;
}
