import type { RankingMetrics } from '@fuzzqe/core/ranking';
import { createReport, type ReportColumn } from '@fuzzqe/train';
import { formatTable, percent, type TableForm } from './table.ts';

/** The mean of several models' figures as one column; a structure that one of them lacks is left out. */
export function meanColumn(name: string, models: readonly ReportColumn[]): ReportColumn {
  const structuresOf = ({ metrics }: ReportColumn) =>
    ({ ...metrics.structures, ...metrics.own }) as Readonly<
      Record<string, ReportColumn['metrics']['structures']['1p']>
    >;
  const all = models.map(structuresOf);
  const own = Object.keys(models[0]?.metrics.own ?? {});
  const means = Object.keys(all[0] ?? {}).map((structure) => {
    const metric = (of: keyof RankingMetrics): number =>
      meanAndDeviation(all.map((each) => each[structure]?.[of] ?? Number.NaN)).mean;
    const answers = all[0]?.[structure]?.answers;
    const mean = {
      mrr: metric('mrr'),
      hits1: metric('hits1'),
      hits3: metric('hits3'),
      hits10: metric('hits10'),
      // Seeds answer the same queries.
      ...(answers === undefined ? {} : { answers }),
    };
    return [structure, mean] as const;
  });
  const known = means.filter(([, { mrr }]) => !Number.isNaN(mrr));
  return {
    name,
    metrics: {
      structures: Object.fromEntries(known.filter(([structure]) => !own.includes(structure))),
      own: Object.fromEntries(known.filter(([structure]) => own.includes(structure))),
    },
  };
}

/** The MRR of several runs that differ in their seed alone: for each structure and group, its mean and deviation. */
export function spreadOfSeeds(models: readonly ReportColumn[]): Readonly<Record<string, MeanAndDeviation>> {
  const { structures, averages } = createReport(models);
  const rows = [...structures, ...averages].flatMap(({ name, values }) =>
    values.every((value) => value !== null) ? [[name, meanAndDeviation(values)] as const] : [],
  );
  return Object.fromEntries(rows);
}

/** One table: the MRR of each seed in percent, their mean and sample standard deviation. */
export function formatSeeds(
  models: readonly ReportColumn[],
  form: TableForm,
  width: number = Number.POSITIVE_INFINITY,
): string {
  const report = createReport(models);
  const spreads = spreadOfSeeds(models);
  const rowsOf = (part: 'structures' | 'averages'): string[][] =>
    report[part].map(({ name, values }) => [
      name,
      ...values.map(percent),
      percent(spreads[name]?.mean),
      percent(spreads[name]?.deviation),
    ]);
  const table = formatTable(
    {
      groups: [...models.map(({ name }) => name), 'mean', 'deviation'].map((title) => ({
        title,
        columns: 1,
      })),
      head: new Array<string>(models.length + 2).fill('MRR'),
      blocks: [rowsOf('structures'), rowsOf('averages')],
    },
    form,
    width,
  );
  return `Seed by seed\n\n${table}`;
}

/** Mean and sample standard deviation of some runs' figures; no deviation where there is one run. */
export interface MeanAndDeviation {
  readonly mean: number;
  readonly deviation: number | null;
}

/** Of one figure or more. Deviation with n − 1, since the seeds are a sample of all that could have been drawn. */
export function meanAndDeviation(values: readonly number[]): MeanAndDeviation {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: values.length < 2 ? null : Math.sqrt(squares / (values.length - 1)) };
}
