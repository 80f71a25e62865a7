import { type StructureName, structureNames } from '@fuzzqe/core/query';
import { type AverageName, averageNames, averages, type RankingMetrics } from '@fuzzqe/core/ranking';

/** The figures of one model or baseline; those of a paper may lack metrics. */
export interface ReportColumn {
  readonly name: string;
  readonly metrics: {
    readonly structures: Readonly<Partial<Record<StructureName, Partial<RankingMetrics>>>>;
    readonly own?: Readonly<Record<string, Partial<RankingMetrics>>>;
    /** Means as a paper prints them, in place of those of its rounded figures. */
    readonly printed?: Readonly<Partial<Record<AverageName, Partial<RankingMetrics>>>>;
  };
}

/** A row of the report: a structure, or the mean over several. */
export interface ReportRow {
  readonly name: string;
  readonly structures: readonly string[];
  /** For each column its metric, as a fraction; null where a structure of the row was not evaluated. */
  readonly values: readonly (number | null)[];
}

/** A comparison by one metric; as JSON it is what `JSON.stringify` makes of it. */
export interface RankingReport {
  readonly metric: keyof RankingMetrics;
  readonly columns: readonly string[];
  /** The structures in the field's order, then own ones. */
  readonly structures: readonly ReportRow[];
  readonly averages: readonly ReportRow[];
}

/**
 * Sets evaluations beside each other by one metric.
 *
 * Averages count every structure the same; one that lacks a structure in some column is null there, since it could not
 * be compared.
 */
export function createReport(
  columns: readonly ReportColumn[],
  metric: keyof RankingMetrics = 'mrr',
): RankingReport {
  const metricOf = (name: string, { metrics }: ReportColumn): number | null =>
    ({ ...metrics.own, ...metrics.structures })[name]?.[metric] ?? null;
  const own = columns.flatMap(({ metrics }) => Object.keys(metrics.own ?? {}));
  const found = [...new Set<string>([...structureNames, ...own])].filter((name) =>
    columns.some((column) => metricOf(name, column) !== null),
  );
  return {
    metric,
    columns: columns.map(({ name }) => name),
    structures: found.map((name) => ({
      name,
      structures: [name],
      values: columns.map((column) => metricOf(name, column)),
    })),
    averages: averageNames
      .map((name) => ({ name, ...averages[name] }))
      .filter(({ structures }) => structures.some((name) => found.includes(name)))
      .map(({ name, title, structures }) => ({
        name: title,
        structures,
        values: columns.map(
          (column) =>
            column.metrics.printed?.[name]?.[metric] ??
            mean(structures.map((structure) => metricOf(structure, column))),
        ),
      })),
  };
}

const metricTitles: Readonly<Record<keyof RankingMetrics, string>> = {
  mrr: 'MRR %',
  hits1: 'Hits@1 %',
  hits3: 'Hits@3 %',
  hits10: 'Hits@10 %',
};

/** The report as a table for the terminal: names to the left, percentages to the right, averages under a line. */
export function formatReportText(report: RankingReport): string {
  const { header, structures, averages } = cellsOf(report);
  const all = [header, ...structures, ...averages];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd();
  const rule = '─'.repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  return `${[line(header), rule, ...structures.map(line), rule, ...averages.map(line)].join('\n')}\n`;
}

/** The report as a Markdown table. */
export function formatReportMarkdown(report: RankingReport): string {
  const { header, structures, averages } = cellsOf(report);
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = `|---|${'---:|'.repeat(header.length - 1)}`;
  const means = averages.map(([name, ...values]) => line([`*${name}*`, ...values]));
  return `${[line(header), rule, ...structures.map(line), ...means].join('\n')}\n`;
}

function cellsOf(report: RankingReport): { header: string[]; structures: string[][]; averages: string[][] } {
  const cells = ({ name, values }: ReportRow): string[] => [
    name,
    ...values.map((value) => (value === null ? '–' : (value * 100).toFixed(1))),
  ];
  return {
    header: [metricTitles[report.metric], ...report.columns],
    structures: report.structures.map(cells),
    averages: report.averages.map(cells),
  };
}

function mean(values: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const value of values) {
    if (value === null) return null;
    sum += value;
  }
  return sum / values.length;
}
