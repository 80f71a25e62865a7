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

/** How far a door is, in one line: `http: 12 000 of 1 000 000, 950 a second, 17 min left, 0 failed`. */
export function formatProgress(
  { door, tried, units, failures, seconds }: DoorResult,
  { before, goal, secondsLeft }: ProgressGoal,
): string {
  const rate = units / Math.max(seconds, 1e-3);
  const done = (before?.units ?? 0) + units;
  const left = goal === undefined ? secondsLeft : rate === 0 ? Infinity : (goal - done) / rate;
  const failed = (before?.failures.length ?? 0) + failures.length;
  return [
    `${door}: ${grouped(done)}${goal === undefined ? '' : ` of ${grouped(goal)}`}`,
    ...(units === tried ? [] : [`${grouped((before?.tried ?? 0) + tried)} inputs`]),
    `${rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate))} a second`,
    ...(Number.isFinite(left) ? [`${Math.ceil(left / 60)} min left`] : []),
    `${failed} failed`,
  ].join(', ');
}

/** What the progress of a door is told against. */
export interface ProgressGoal {
  /** What came of it in earlier pieces. */
  readonly before: DoorResult | undefined;
  /** The units that it shall reach, with those of earlier pieces. */
  readonly goal: number | undefined;
  /** Seconds that its turn lasts yet, where there is no goal. */
  readonly secondsLeft: number;
}

const grouped = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ' ');
