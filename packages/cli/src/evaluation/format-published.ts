import type { DrawnSet } from '@fuzzqe/data';
import {
  createReport,
  type PublishedFigures,
  type PublishedQuerySet,
  plusHDefects,
  publishedMetric,
  publishedQuerySets,
  type ReportColumn,
} from '@fuzzqe/train';
import { describeMeans, metricTitles, rowName } from './format-comparison.ts';
import { formatTable, percent, type TableForm } from './table.ts';

/** On which queries models were evaluated. */
export interface EvaluatedQueries {
  /** The name of the set, where it has one. */
  readonly set: string | undefined;
  readonly part: string;
}

/** Published figures of a graph next to which evaluated models may stand. */
export interface ShownPublished {
  readonly models: readonly ReportColumn[];
  readonly published: readonly PublishedFigures[];
  readonly evaluated: EvaluatedQueries;
}

const balanced: DrawnSet = 'balanced';

/**
 * Which published figures stand next to an evaluation: those of the same query set. Balanced queries have +H, whose idea they follow; other
 * queries have BetaE's.
 */
export function comparableSet({ set }: EvaluatedQueries): PublishedQuerySet {
  if (set === balanced) return 'plus-h';
  return publishedQuerySets.find((each) => each === set) ?? 'betae';
}

/**
 * A table of published figures by one metric. The models stand in front if they were evaluated on the same query set, or on balanced queries
 * next to +H. The title says which queries are other ones. Below stand the sources of the figures, and known defects of the queries.
 */
export function formatPublished(
  { models, published, evaluated }: ShownPublished,
  form: TableForm,
  width: number = Number.POSITIVE_INFINITY,
): string {
  const set = comparableSet(evaluated);
  const metric = publishedMetric[set];
  const same = evaluated.set === set;
  const figures = (of: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(of).map(([each, value]) => [each, { [metric]: value }]));
  const papers = published.map(({ method, structures, own = {}, averages }) => ({
    name: method,
    metrics: { structures: figures(structures), own: figures(own), printed: figures(averages) },
  }));
  const ours = models.map(({ name, metrics }) => ({ name: `ours: ${name}`, metrics }));
  const isBeside = same || set === 'plus-h';
  const columns: readonly ReportColumn[] = isBeside ? [...ours, ...papers] : papers;
  const report = createReport(columns, metric);
  const rowsOf = (part: 'structures' | 'averages'): string[][] =>
    report[part].map((row) => [rowName(row), ...row.values.map(percent)]);
  const table = formatTable(
    {
      groups: columns.map(({ name }) => ({ title: name, columns: 1 })),
      head: columns.map(() => metricTitles[metric]),
      blocks: [rowsOf('structures'), rowsOf('averages')],
    },
    form,
    width,
  );
  const notes = [
    ...published.map(({ method, source }) => `${method}: ${source}.`),
    ...(set === 'plus-h' ? plusHDefects : []),
  ];
  const below = form === 'markdown' ? notes.map((note) => `- ${note}`) : notes;
  return [titleOf(set, same, evaluated), table, ...describeMeans(report), below.join('\n')].join('\n\n');
}

function titleOf(set: PublishedQuerySet, same: boolean, { set: name, part }: EvaluatedQueries): string {
  const official = `the official test queries of ${set}`;
  if (same && part === 'test') return `Beside published figures, all on ${official}`;
  if (same)
    return `Beside published figures on ${official}; ours are on other queries of that set, its ${part} ones`;
  const ours = name === undefined ? 'queries of a file' : `${name} queries`;
  if (set === 'plus-h')
    return `Beside published figures, other queries: theirs are on ${official}, ours on ${ours} (${part})`;
  return `On other queries: published figures on ${official}, while the above are on ${ours} (${part})`;
}
