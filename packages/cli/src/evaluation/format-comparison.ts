import type { RankingMetrics } from '@fuzzqe/core/ranking';
import type { ComparedModel } from '@fuzzqe/pipeline';
import {
  type AverageRow,
  createReport,
  type RankingReport,
  type ReportColumn,
  type ReportRow,
} from '@fuzzqe/train';
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
  const tables = [0, columns.length - models, columns.length - 1].map((short) =>
    comparisonTable(columns, Math.max(0, short)),
  );
  const fitting = form === 'markdown' ? tables[0] : tables.find((table) => tableWidth(table) <= width);
  const table = formatTable(fitting ?? tables.at(-1)!, form, width);
  return [table, ...describeMeans(createReport(columns))].join('\n\n');
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

/** The comparison with the MRR alone of the first `short` columns. */
function comparisonTable(columns: readonly ReportColumn[], short: number): Table {
  const shown = columns.map((_, i) => (i >= short ? metrics : metrics.slice(0, 1)));
  const reports = metrics.map((metric) => createReport(columns, metric));
  const rowsOf = (part: 'structures' | 'averages'): string[][] =>
    reports[0]![part].map((of, row) => [
      rowName(of),
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

/**
 * A table of one model by the number of links that the smaller graph lacks.
 *
 * Each number has the share of its answers and their MRR; the last column is the mean of the MRRs.
 */
export function formatStrata(
  { name, strata }: ComparedModel,
  form: TableForm,
  width: number = Number.POSITIVE_INFINITY,
): string {
  const all = Object.values(strata).flat();
  const counts = [...new Set(all.map(({ missing }) => missing))].sort(
    (a, b) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY),
  );
  const answers = all.reduce((sum, stratum) => sum + stratum.answers, 0);
  const cells = (of: (missing: number | null) => readonly (number | undefined)[]): string[] =>
    counts.flatMap((missing) => of(missing).map(percent));
  const rows = Object.entries(strata).map(([structure, found]) => [
    structure,
    ...cells((missing) => {
      const stratum = found.find((each) => each.missing === missing);
      return [stratum?.share, stratum?.mrr];
    }),
    percent(meanOverLinks(found)),
  ]);
  const together = cells((missing) => {
    const part = all.filter((each) => each.missing === missing);
    return [part.reduce((sum, stratum) => sum + stratum.answers, 0) / answers, undefined];
  });
  const table = formatTable(
    {
      groups: [
        ...counts.map((missing) => ({ title: evaluationTitle(missing), columns: 2 })),
        { title: 'mean', columns: 1 },
      ],
      head: [...counts.flatMap(() => ['share', 'MRR']), 'MRR'],
      blocks: [rows, [['all answers', ...together, percent(mean(Object.values(strata).map(meanOverLinks)))]]],
    },
    form,
    width,
  );
  return `${name} by the links that the known facts lack\n\n${table}`;
}

/** The mean MRR of a structure over its numbers of missing links; undefined where the graph derives no answer. */
function meanOverLinks(strata: ComparedModel['strata'][string]): number | undefined {
  return mean(strata.flatMap(({ missing, mrr }) => (missing === null ? [] : [mrr])));
}

function mean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0) / known.length;
}

function evaluationTitle(missing: number | null): string {
  if (missing === null) return 'not derived';
  return missing === 1 ? '1 link' : `${missing} links`;
}
