import type { RankingMetrics } from '@fuzzqe/core/ranking';
import {
  type AverageRow,
  createReport,
  type RankingReport,
  type ReportColumn,
  type ReportRow,
} from '@fuzzqe/train';
import { describeFew, fewSign, isFew } from './few-answers.ts';
import { formatTable, percent, type Table, type TableForm, tableWidth } from './table.ts';

const metrics = ['mrr', 'hits1', 'hits3', 'hits10'] as const;
/** The head of a column of figures. */
export const metricTitles: Readonly<Record<keyof RankingMetrics, string>> = {
  mrr: 'MRR',
  hits1: 'H@1',
  hits3: 'H@3',
  hits10: 'H@10',
};

/** What stands next to each other: baselines, then models. */
export interface ShownComparison {
  readonly columns: readonly ReportColumn[];
  /** How many of the columns, the last ones, are models. Default 1. */
  readonly models?: number;
}

/**
 * One table: a row for each structure and group, MRR and Hits@1/3/10 in percent for each baseline and model, and a line below
 * on the means that lack structures.
 *
 * As text it keeps within `width` columns of the terminal: the baselines, and if that is not enough all columns but the last,
 * have their MRR alone where four figures of each would not fit, and what is still too wide stands in several tables.
 */
export function formatComparison(
  { columns, models = 1 }: ShownComparison,
  form: TableForm,
  width: number = Number.POSITIVE_INFINITY,
): string {
  const few = fewAnswersOf(columns);
  const tables = [0, columns.length - models, columns.length - 1].map((short) =>
    comparisonTable(columns, Math.max(0, short), few),
  );
  const fitting = form === 'markdown' ? tables[0] : tables.find((table) => tableWidth(table) <= width);
  const table = formatTable(fitting ?? tables.at(-1)!, form, width);
  const notes = few.size === 0 ? [] : [describeFew(few)];
  return [table, ...describeMeans(createReport(columns)), ...notes].join('\n\n');
}

/** The structures with few answers in some column, and how many. */
function fewAnswersOf(columns: readonly ReportColumn[]): ReadonlyMap<string, number> {
  const all = columns.flatMap(({ metrics }) => Object.entries({ ...metrics.structures, ...metrics.own }));
  return new Map(all.flatMap(([name, { answers }]) => (isFew(answers) ? [[name, answers!]] : [])));
}

/** The name of a row; of a mean that lacks structures with a star, which `describeMeans` explains. */
export function rowName(row: ReportRow | AverageRow): string {
  return 'kind' in row && row.structures.length < row.kind ? `${row.name}*` : row.name;
}

/** Over which structures the means are that lack some, a line each in one paragraph; none where they lack none. */
export function describeMeans({ averages }: RankingReport): string[] {
  const lacking = averages.filter(({ structures, kind }) => structures.length < kind);
  if (lacking.length === 0) return [];
  const lines = lacking.map(({ name, structures, kind }) => {
    return `* ${name}, ${structures.length} of ${kind}: ${structures.join(' ')}`;
  });
  return [lines.join('\n')];
}

/** The comparison with the MRR alone of the first `short` columns; rows that rest on few answers have a sign. */
function comparisonTable(
  columns: readonly ReportColumn[],
  short: number,
  few: ReadonlyMap<string, number>,
): Table {
  const sign = (row: ReportRow | AverageRow): string =>
    ('kind' in row ? row.structures : [row.name]).some((name) => few.has(name)) ? fewSign : '';
  const shown = columns.map((_, i) => (i >= short ? metrics : metrics.slice(0, 1)));
  const reports = metrics.map((metric) => createReport(columns, metric));
  const rowsOf = (part: 'structures' | 'averages'): string[][] =>
    reports[0]![part].map((of, row) => [
      `${rowName(of)}${sign(of)}`,
      ...shown.flatMap((figures, column) =>
        figures.map((_, metric) => percent(reports[metric]![part][row]?.values[column])),
      ),
    ]);
  return {
    groups: columns.map(({ name }, i) => ({ title: name, columns: shown[i]!.length })),
    head: shown.flatMap((of) => of.map((metric) => metricTitles[metric])),
    blocks: [rowsOf('structures'), rowsOf('averages')],
  };
}
