import type { Manifest } from '@fuzzqe/bundle';
import { plain, table } from './markdown.ts';

/** What metrics are called, by their keys. */
export const metricTitles = { mrr: 'MRR', hits1: 'Hits@1', hits3: 'Hits@3', hits10: 'Hits@10' } as const;
export type Metric = keyof typeof metricTitles;
const columnNames = Object.keys(metricTitles) as Metric[];

/** The measured metrics as tables in per cent, one for each evaluation; whatever else was recorded is in the manifest. */
export function metricsSection(metrics: Manifest['metrics']): string {
  const rows = metricsRows(metrics);
  if (rows.length === 0) return 'No ranking metrics were recorded for this bundle.';
  const titles = [...new Set(rows.map(({ evaluation }) => evaluation))];
  const tables = titles.map((title) => {
    const part = rows.filter(({ evaluation }) => evaluation === title);
    return title === '' ? tableOf(part) : `${plain(title)}\n\n${tableOf(part)}`;
  });
  return `Filtered ranking metrics in per cent, as measured before the export:\n\n${tables.join('\n\n')}`;
}

function tableOf(rows: readonly MetricsRow[]): string {
  const used = columnNames.filter((name) => rows.some(({ values }) => values[name] !== undefined));
  return table([
    ['', ...used.map((name) => metricTitles[name])],
    ...rows.map(({ name, values }) => [plain(name), ...used.map((metric) => percent(values[metric]))]),
  ]);
}

/** Parts of an evaluation whose names say nothing next to those of their rows. */
const containers = ['structures', 'own', 'averages', 'baselines'];

/** What was measured of one structure, or on average. */
export interface MetricsRow {
  /** The evaluation that it is of; empty where the metrics are of one without a title. */
  readonly evaluation: string;
  readonly name: string;
  readonly values: Readonly<Partial<Record<Metric, number>>>;
}

/** Every object with an MRR, wherever it is nested, with its path. */
export function metricsRows(value: unknown, path: readonly string[] = []): MetricsRow[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const entries = Object.entries(value);
  const values = Object.fromEntries(
    entries.filter(
      (entry): entry is [Metric, number] => entry[0] in metricTitles && typeof entry[1] === 'number',
    ),
  );
  const own = 'mrr' in values ? [{ ...nameOf(path), values }] : [];
  return [...own, ...entries.flatMap(([key, inner]) => metricsRows(inner, [...path, key]))];
}

/** The evaluation and the row that a path to metrics names. */
function nameOf(path: readonly string[]): Pick<MetricsRow, 'evaluation' | 'name'> {
  const titled = path.length > 2 && containers.includes(path[1]!);
  const rest = path.slice(titled ? 1 : 0).filter((part) => !containers.includes(part));
  return { evaluation: titled ? path[0]! : '', name: rest.join(' / ') || 'all' };
}

function percent(value: number | undefined): string {
  return value === undefined ? '' : (100 * value).toFixed(1);
}
