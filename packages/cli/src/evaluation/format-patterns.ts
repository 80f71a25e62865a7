import type { RankingMetrics } from '@fuzzqe/core/ranking';
import type { PatternMetrics } from '@fuzzqe/train';
import { metricTitles } from './format-comparison.ts';
import { formatTable, percent, type TableForm } from './table.ts';

/** What was measured of one model. */
export interface PatternColumn {
  readonly name: string;
  readonly types: Readonly<Record<string, PatternMetrics>>;
  /** The means over types, each counting the same. */
  readonly mean: RankingMetrics;
}

const metrics = ['mrr', 'hits1', 'hits3', 'hits10'] as const;

/** One table: a row for each type, with the metrics of each model and the share of patterns that were answered exactly, and the means. */
export function formatPatterns(
  columns: readonly PatternColumn[],
  form: TableForm,
  width: number = Number.POSITIVE_INFINITY,
): string {
  const types = Object.keys(columns[0]?.types ?? {});
  const figures = (of: Partial<RankingMetrics> | undefined): string[] =>
    metrics.map((metric) => percent(of?.[metric]));
  const rows = types.map((type) => [
    type,
    ...columns.flatMap(({ types: measured }) => {
      const of = measured[type];
      return [...figures(of), percent(of && of.exact / of.queries)];
    }),
  ]);
  return formatTable(
    {
      groups: columns.map(({ name }) => ({ title: name, columns: metrics.length + 1 })),
      head: columns.flatMap(() => [...metrics.map((metric) => metricTitles[metric]), 'exact']),
      blocks: [rows, [['mean', ...columns.flatMap(({ mean }) => [...figures(mean), '–'])]]],
    },
    form,
    width,
  );
}
