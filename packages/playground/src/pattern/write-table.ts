import type { PatternAnswer } from '@fuzzqe/engine';
import { writeCsv } from '../ask/write-answers.ts';

/** A table as CSV, in the order that is shown: each answer variable has a column of labels and a column of keys. */
export function writeTable({ columns, rows, suggestions }: PatternAnswer): string {
  const header = ['kind', ...columns.flatMap((name) => [name, `${name} key`]), 'degree', 'state'];
  const write =
    (kind: string) =>
    ({ entities, degree, state }: PatternAnswer['rows'][number]): (string | number)[] => [
      kind,
      ...entities.flatMap(({ label, key }) => [label, key]),
      degree,
      state,
    ];
  return writeCsv(header, [...rows.map(write('answer')), ...suggestions.map(write('suggestion'))]);
}
