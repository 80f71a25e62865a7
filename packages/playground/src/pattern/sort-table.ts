import type { PatternAnswer, PatternRow } from '@fuzzqe/engine';

/** By what the rows of a table are sorted: the labels of a column, by its number, or the degrees. */
export interface TableSort {
  readonly by: number | 'degree';
  readonly isDescending: boolean;
}

/** The best first, as answers come. */
export const bestFirst: TableSort = { by: 'degree', isDescending: true };

/** What a press of a column's head sorts by: names from A, degrees from the highest; a second press turns it round. */
export function sortedBy(by: TableSort['by'], before: TableSort): TableSort {
  return { by, isDescending: before.by === by ? !before.isDescending : by === 'degree' };
}

/** A table with its answers and its suggestions in an order; rows that are equal in this order keep their own. */
export function sortTable(answer: PatternAnswer, { by, isDescending }: TableSort): PatternAnswer {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const labelOf = ({ entities }: PatternRow, column: number): string => entities[column]?.label ?? '';
  const order = (a: PatternRow, b: PatternRow): number =>
    (isDescending ? -1 : 1) *
    (by === 'degree' ? a.degree - b.degree : compare(labelOf(a, by), labelOf(b, by)));
  return { ...answer, rows: answer.rows.toSorted(order), suggestions: answer.suggestions.toSorted(order) };
}
