import type { ParityCell, ParityFailure, ParityMatrix } from '../matrix/matrix.ts';

/** How many failures of a cell are listed; all are in the JSON. */
const listed = 3;

/** The matrix as lines for a terminal: a row a runtime and profile, then what failed and what was skipped. */
export function formatMatrix({ cells, skipped }: ParityMatrix): string[] {
  const head = [
    'runtime',
    'profile',
    '',
    'embedding',
    'relative',
    'score',
    'relative',
    'same ranking',
    'overlap@10',
    'RBO',
  ];
  const rows = cells.map((cell) => [
    cell.runtime,
    cell.profile,
    cell.passed ? 'equal' : 'DIFFERENT',
    formatGap(cell.embedding.absolute),
    formatGap(cell.embedding.relative),
    formatGap(cell.score.absolute),
    formatGap(cell.score.relative),
    `${cell.sameRanking}/${cell.compared}`,
    cell.beside?.overlap10.toFixed(3) ?? '',
    cell.beside?.rbo.toFixed(3) ?? '',
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [
    line(head),
    ...rows.map(line),
    ...cells.flatMap(describeFailures),
    ...skipped.map(({ runtime, reason }) => `skipped ${runtime}: ${reason}`),
  ];
}

/** A difference with as many digits as it deserves. */
export function formatGap(value: number): string {
  return value === 0 ? '0' : value.toExponential(1);
}

function describeFailures({ runtime, profile, failures, diagnosis }: ParityCell): string[] {
  if (failures.length === 0) return [];
  const more = failures.length - listed;
  return [
    '',
    `${runtime}, ${profile}:`,
    ...diagnosis.map((line) => `  ${line}`),
    ...failures.slice(0, listed).flatMap((failure) => describeFailure(failure).map((line) => `  ${line}`)),
    ...(more > 0 ? [`  … and ${more} more; --json lists all`] : []),
  ];
}

/** What failed, and how to ask it again. */
export function describeFailure(failure: ParityFailure): string[] {
  const { kind, structure, by, anchors, relations, query, message } = failure;
  const what = structure === null ? kind : `${kind} ${structure}`;
  return [
    `${what} by ${by}, anchors ${anchors.join(' ')}, relations ${relations.join(' ') || 'none'}: ${message}`,
    `  ${query}`,
  ];
}
