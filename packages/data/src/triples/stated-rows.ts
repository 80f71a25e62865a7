import { FuzzError } from '@fuzzqe/core';
import { type ProvenanceField, stateProvenance } from '@fuzzqe/names';
import type { DelimitedRecord } from '../files/delimited.ts';
import type { TablePlan } from '../tables/table-plan.ts';
import type { GatheredProvenance } from './gather-provenance.ts';

/** So many rows of different texts are told apart without reading them again. */
const mostKnown = 2 ** 16;

/** Reads what the columns of a table say of the fact of a record: a number for the sink, or the error of the cells. */
export function createStatedRows(
  path: string,
  { said, first }: Pick<TablePlan, 'said' | 'first'>,
  provenance: GatheredProvenance | undefined,
): (record: DelimitedRecord) => number | FuzzError {
  const columns = Object.entries(said ?? {});
  if (provenance === undefined || columns.length === 0) return () => 0;
  const known = new Map<string, number>();
  return (record) => {
    const texts: Partial<Record<string, string>> = {};
    for (const [field, column] of columns)
      if (column < record.count) texts[field satisfies string as ProvenanceField] = record.text(column);
    const name = JSON.stringify(texts);
    const found = known.get(name);
    if (found !== undefined) return found;
    try {
      const number = provenance.numberOf(stateProvenance(texts, `${path}:${record.line}`));
      if (known.size < mostKnown) known.set(name, number);
      return number;
    } catch (cause) {
      if (!(cause instanceof FuzzError)) throw cause;
      return new FuzzError(cause.code, cause.message, {
        path: `${path}:${record.line}`,
        hint: `${cause.hint} ${first === undefined ? '' : 'A column that says something else needs another title. '}Or leave such lines out: --skip-bad.`,
        cause,
      });
    }
  };
}
