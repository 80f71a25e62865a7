import type { Manifest } from '@fuzzqe/core/bundle';
import { plain, table } from './markdown.ts';

const columns = { mrr: 'MRR', hits1: 'Hits@1', hits3: 'Hits@3', hits10: 'Hits@10' } as const;
type Metric = keyof typeof columns;
const columnNames = Object.keys(columns) as Metric[];

/** The measured metrics as a table in per cent; whatever else was recorded is in the manifest. */
export function metricsSection(metrics: Manifest['metrics']): string {
  const rows = rowsOf(metrics, []);
  if (rows.length === 0) return 'No ranking metrics were recorded for this bundle.';
  const used = columnNames.filter((name) => rows.some(({ values }) => values[name] !== undefined));
  return `Filtered ranking metrics in per cent, as measured before the export:\n\n${table([
    ['', ...used.map((name) => columns[name])],
    ...rows.map(({ name, values }) => [plain(name), ...used.map((metric) => percent(values[metric]))]),
  ])}`;
}

interface Row {
  readonly name: string;
  readonly values: Readonly<Partial<Record<Metric, number>>>;
}

/** Every object with an MRR, wherever it is nested, by the way to it. */
function rowsOf(value: unknown, path: readonly string[]): Row[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const entries = Object.entries(value);
  const values = Object.fromEntries(
    entries.filter((entry): entry is [Metric, number] => entry[0] in columns && typeof entry[1] === 'number'),
  );
  const own = 'mrr' in values ? [{ name: path.join(' / ') || 'all', values }] : [];
  return [...own, ...entries.flatMap(([key, inner]) => rowsOf(inner, [...path, key]))];
}

function percent(value: number | undefined): string {
  return value === undefined ? '' : (100 * value).toFixed(1);
}
