import { type StructureName, structureNames } from '@fuzzqe/core/query';
import { type AverageName, averageNames, averages, type RankingMetrics } from '@fuzzqe/core/ranking';

/** The figures of a structure, with its number of answers where it is known. */
type ReportedMetrics = Partial<RankingMetrics & { readonly answers: number }>;

/** The figures of one model or baseline; those of a paper may lack metrics. */
export interface ReportColumn {
  readonly name: string;
  readonly metrics: {
    readonly structures: Readonly<Partial<Record<StructureName, ReportedMetrics>>>;
    readonly own?: Readonly<Record<string, ReportedMetrics>>;
    /** Means as a paper prints them, instead of those of its rounded figures. */
    readonly printed?: Readonly<Partial<Record<AverageName, Partial<RankingMetrics>>>>;
  };
}

/** A row of the report: a structure, or the mean over several. */
export interface ReportRow {
  readonly name: string;
  /** For each column its metric, as a fraction; null where a structure of the row was not evaluated. */
  readonly values: readonly (number | null)[];
}

/** A mean, and the structures that it is over: those of its kind, or as many of them as were evaluated. */
export interface AverageRow extends ReportRow {
  readonly structures: readonly StructureName[];
  /** How many structures of its kind there are. */
  readonly kind: number;
}

/** A comparison by one metric. */
export interface RankingReport {
  /** The structures in the field's order, then own ones. */
  readonly structures: readonly ReportRow[];
  readonly averages: readonly AverageRow[];
}

/**
 * Sets evaluations next to each other by one metric.
 *
 * Averages count every structure the same, and are over those of their kind that some column has: small graphs and published
 * sets lack some. A column that lacks one of these has null there, since its mean could not be compared.
 *
 * @example
 * const { score } = createFrequencyBaseline(graph);
 * const metrics = await evaluateRanking({ queries, score, entityCount: graph.entityCount });
 * const { averages } = createReport([{ name: 'frequency', metrics }], 'hits3');
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
    structures: found.map((name) => ({
      name,
      values: columns.map((column) => metricOf(name, column)),
    })),
    averages: averageNames
      .map((name) => {
        const { title, structures: all } = averages[name];
        return { name, title, all, structures: all.filter((structure) => found.includes(structure)) };
      })
      .filter(({ structures }) => structures.length > 0)
      .map(({ name, title, all, structures }) => {
        const whole = structures.length === all.length;
        return {
          name: title,
          structures,
          kind: all.length,
          values: columns.map(
            (column) =>
              (whole ? column.metrics.printed?.[name]?.[metric] : undefined) ??
              mean(structures.map((structure) => metricOf(structure, column))),
          ),
        };
      }),
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
