import {
  type FigureChange,
  noticeableFall,
  pipelineFolders,
  type RefreshResult,
  refreshRun,
} from '@fuzzqe/pipeline';
import type { parityRuntimeNames } from '../options/choices.ts';
import { formatColumns } from '../terminal/columns.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readFactLog } from './facts/read-fact-log.ts';
import { reportPipeline } from './report-pipeline.ts';

/** What `fuzzqe refresh` was told. */
export interface RefreshFlags {
  readonly data?: string;
  readonly facts?: string;
  readonly keyFile?: string;
  readonly when?: number;
  readonly share: number;
  readonly earlierData?: string;
  readonly repository?: string;
  readonly name?: string;
  readonly threads: number;
  readonly runtimes?: typeof parityRuntimeNames;
  readonly json?: boolean;
}

/** Does `fuzzqe refresh`; undefined where too little changed. */
export async function refresh(
  terminal: Terminal,
  run: string,
  flags: RefreshFlags,
): Promise<NextCommand | undefined> {
  const { data, facts = '', json = false, when, threads, share } = flags;
  const by = data === undefined ? await readFactLog(terminal, facts, flags) : { changed: data };
  // With --json the result alone goes to standard output.
  const shown = json ? { ...terminal, out: terminal.note } : terminal;
  let report: ReturnType<typeof reportPipeline> | undefined;
  const result = await interruptible(shown, (signal) =>
    refreshRun({
      ...{ run, ...by, when, share, threads, signal },
      ...{ earlierData: flags.earlierData, repository: flags.repository, name: flags.name },
      ...(flags.runtimes === undefined ? {} : { runtimes: flags.runtimes }),
      onBegin({ out, changes, isContinued, steps }) {
        shown.out(isContinued ? `Going on with ${out}.` : `Refreshing in ${out}, for ${steps} steps.`);
        shown.out(changesText(changes));
        report = reportPipeline(shown, pipelineFolders(out));
      },
      onEvent: (event) => report?.(event),
    }),
  );
  const { refreshed } = result;
  if (json) terminal.out(JSON.stringify(summaryOf(result)));
  if (refreshed === undefined) {
    shown.out(nothingText(result, when ?? 0));
    return undefined;
  }
  shown.out('\n6. What changed');
  shown.out(changesText(result.changes));
  describeFigures(refreshed.figures, terminal.columns).forEach(shown.out);
  shown.out(`The next version: ${refreshed.bundle}. A server opens it after SIGHUP.`);
  return ['query', refreshed.bundle, '…'];
}

/** What is printed as JSON. */
function summaryOf({ changedShare, changes, refreshed }: RefreshResult): object {
  if (refreshed === undefined) return { refreshed: false, changedShare, changes };
  const { out, bundle, figures } = refreshed;
  return { refreshed: true, changedShare, changes, out, bundle, figures };
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

/** Why nothing is done. */
export function nothingText(
  { changedShare, changes: { added, removed, judged } }: Pick<RefreshResult, 'changedShare' | 'changes'>,
  when: number,
): string {
  const rejections = judged === 0 ? '' : `, ${judged} rejected or no more`;
  const changed = `${percent(changedShare)} of the facts changed (${added} added, ${removed} removed${rejections})`;
  return added + removed + judged === 0
    ? 'No fact changed since the last training: there is nothing to refresh.'
    : `${changed}, less than ${percent(when)}: nothing is done.`;
}

/** How the facts changed. */
export function changesText({
  kept,
  added,
  removed,
  moved,
  restored,
  newEntities,
  newRelations,
  rejected,
}: RefreshResult['changes']): string {
  const lines = [
    `Facts: ${added} added, ${removed} removed, ${kept} kept in their parts.`,
    `New names: ${newEntities} ${newEntities === 1 ? 'entity' : 'entities'}, ${newRelations} ${newRelations === 1 ? 'relation' : 'relations'}.`,
  ];
  if (rejected > 0) lines.push(`Rejected links: ${rejected}.`);
  if (moved > 0)
    lines.push(
      `${moved} of the kept facts went from a held-out part to training: a name would have no training fact.`,
    );
  if (restored > 0)
    lines.push(
      `${restored} of the kept facts were in another part of the new data; they stay where they were.`,
    );
  return lines.join('\n');
}

/** A table of figures before and after, and a line for each that fell. */
export function describeFigures(figures: readonly FigureChange[], width: number): string[] {
  const [first] = figures;
  if (first === undefined)
    return ['There are no test queries whose answers are the same: no figures to compare.'];
  const cell = (value: number): string => (100 * value).toFixed(1);
  const rows = figures.map(({ metric, mode, queries, before, after }) => [
    ...[metric, mode, `${queries}`, cell(before), cell(after)],
    signed(100 * (after - before)),
  ]);
  const right = { right: true };
  const columns = [
    ...[{ title: '%', cut: true }, { title: 'mode' }, { title: 'n', ...right }],
    ...[
      { title: 'before', ...right },
      { title: 'after', ...right },
      { title: 'points', ...right },
    ],
  ];
  const fallen = figures.filter(({ before, after }) => before - after > noticeableFall);
  return [
    `On test queries of ${first.data} whose answers did not change, each run with the facts of its time:`,
    ...formatColumns(columns, rows, width),
    ...fallen.map(
      ({ metric, mode, before, after }) =>
        `Warning: ${metric} in mode ${mode} fell by ${(100 * (before - after)).toFixed(1)} points.`,
    ),
  ];
}

function signed(points: number): string {
  const text = points.toFixed(1);
  return text.startsWith('-') ? text : `+${text}`;
}
