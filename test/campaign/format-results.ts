import type { DoorResult } from './run-door.ts';

/** The results as a table in Markdown. */
export function formatResults(results: readonly DoorResult[]): string {
  const head = ['Door', 'Tried', 'Taken', 'Refused', 'Failed', 'A second', 'Slowest, ms', 'Memory, MiB'];
  const rows = results.map(({ door, tried, taken, refused, failures, seconds, slowest, mebibytes }) => [
    door,
    ...[tried, taken, refused, failures.length, tried / seconds, slowest, mebibytes].map((value) =>
      String(Math.round(value)),
    ),
  ]);
  const rule = head.map((_, column) => (column === 0 ? '---' : '--:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
