import type { RankingMetrics } from '@fuzzqe/core/ranking';
import type { ComparedModel } from '@fuzzqe/pipeline';
import { createReport, type PublishedFigures, type ReportColumn } from '@fuzzqe/train';
import { formatTable, percent, type Table, type TableForm, tableWidth } from './table.ts';

const metrics = ['mrr', 'hits1', 'hits3', 'hits10'] as const;
const titles: Readonly<Record<keyof RankingMetrics, string>> = {
  mrr: 'MRR',
  hits1: 'H@1',
  hits3: 'H@3',
  hits10: 'H@10',
};

/** What stands beside each other: models and baselines, then papers. */
export interface ShownComparison {
  readonly columns: readonly ReportColumn[];
  readonly published: readonly PublishedFigures[];
}

/**
 * One table: a row for each structure and group, MRR and Hits@1/3/10 in percent for each model, and the MRR that a paper
 * gives, with a line below on where it stands.
 *
 * As text it keeps within `width` columns of the terminal: all models but the last have their MRR alone where four figures
 * of each would not fit, and what is still too wide stands in several tables.
 */
export function formatComparison(
  { columns, published }: ShownComparison,
  form: TableForm,
  width: number = Number.POSITIVE_INFINITY,
): string {
  const whole = comparisonTable({ columns, published }, 0);
  const fits = form === 'markdown' || tableWidth(whole) <= width;
  const chosen = fits ? whole : comparisonTable({ columns, published }, columns.length - 1);
  const table = formatTable(chosen, form, width);
  if (published.length === 0) return table;
  const notes = published.map(({ name, source }) => `${name}: ${source}.`);
  return [
    table,
    '',
    ...notes,
    'The queries evaluated here are those official ones only if the file holds them.',
  ].join(form === 'markdown' ? '  \n' : '\n');
}

/** The comparison with the MRR alone of the first `short` models. */
function comparisonTable({ columns, published }: ShownComparison, short: number): Table {
  const figures = (of: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(of).map(([each, mrr]) => [each, { mrr }]));
  const papers = published.map(({ name, mrr, averages }) => ({
    name,
    metrics: { structures: figures(mrr), printed: figures(averages) },
  }));
  const all = [...columns, ...papers];
  const shown = all.map((_, i) => (i >= short && i < columns.length ? metrics : metrics.slice(0, 1)));
  const reports = metrics.map((metric) => createReport(all, metric));
  const rowsOf = (part: 'structures' | 'averages'): string[][] =>
    reports[0]![part].map(({ name }, row) => [
      name,
      ...shown.flatMap((of, column) =>
        of.map((_, metric) => percent(reports[metric]![part][row]?.values[column])),
      ),
    ]);
  return {
    groups: all.map(({ name }, i) => ({ title: name, columns: shown[i]!.length })),
    head: shown.flatMap((of) => of.map((metric) => titles[metric])),
    blocks: [rowsOf('structures'), rowsOf('averages')],
  };
}

/** A table of one model by the number of links that the smaller graph lacks: share of the answers, and their MRR. */
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
  ]);
  const together = cells((missing) => {
    const part = all.filter((each) => each.missing === missing);
    return [part.reduce((sum, stratum) => sum + stratum.answers, 0) / answers, undefined];
  });
  const table = formatTable(
    {
      groups: counts.map((missing) => ({ title: evaluationTitle(missing), columns: 2 })),
      head: counts.flatMap(() => ['share', 'MRR']),
      blocks: [rows, [['all answers', ...together]]],
    },
    form,
    width,
  );
  return `${name} by the links that the known facts lack\n\n${table}`;
}

function evaluationTitle(missing: number | null): string {
  if (missing === null) return 'not derived';
  return missing === 1 ? '1 link' : `${missing} links`;
}
