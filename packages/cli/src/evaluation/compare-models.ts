import type { MetricsReport } from '@fuzzqe/core';
import {
  createFrequencyBaseline,
  createReport,
  createTraversalBaseline,
  type Dataset,
  evaluateRanking,
  type QueryScorer,
  type SampledQueries,
} from '@fuzzqe/train';
import { createProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A model's figures beside those of the baselines. */
export interface Comparison {
  readonly columns: readonly { readonly name: string; readonly metrics: MetricsReport }[];
}

/** Evaluates a model and both baselines on the same queries. The baselines know the training facts, as the model does. */
export async function compareModels(
  terminal: Terminal,
  options: {
    readonly dataset: Dataset;
    readonly queries: readonly SampledQueries[];
    readonly name: string;
    readonly score: QueryScorer;
    readonly signal: AbortSignal;
  },
): Promise<Comparison> {
  const known = options.dataset.graphs().train;
  const candidates = [
    createTraversalBaseline(known),
    createFrequencyBaseline(known),
    { name: options.name, score: options.score },
  ];
  const columns: { name: string; metrics: MetricsReport }[] = [];
  for (const { name, score } of candidates) {
    const progress = createProgress(terminal, `Evaluating ${name}`, 'queries');
    const metrics = await evaluateRanking({
      queries: options.queries,
      score,
      entityCount: known.entityCount,
      onProgress: (done, total) => progress.update(done, total),
      signal: options.signal,
    });
    terminal.status('');
    columns.push({ name, metrics });
  }
  return { columns };
}

const metrics = ['mrr', 'hits1', 'hits3', 'hits10'] as const;
const titles: Readonly<Record<(typeof metrics)[number], string>> = {
  mrr: 'MRR',
  hits1: 'H@1',
  hits3: 'H@3',
  hits10: 'H@10',
};

/** One table: a row for each structure and group, MRR and Hits@1/3/10 in percent for each model. */
export function formatComparison({ columns }: Comparison, form: 'text' | 'markdown'): string {
  const reports = metrics.map((metric) => createReport(columns, metric));
  const rowsOf = (part: 'structures' | 'averages'): string[][] =>
    reports[0]![part].map(({ name }, row) => [
      name,
      ...columns.flatMap((_, column) =>
        reports.map((report) => percent(report[part][row]!.values[column] ?? null)),
      ),
    ]);
  const heads = columns.flatMap(() => metrics.map((metric) => titles[metric]));
  return form === 'markdown' ? markdown(columns, heads, rowsOf) : text(columns, heads, rowsOf);
}

type Rows = (part: 'structures' | 'averages') => string[][];

function percent(value: number | null): string {
  return value === null ? '–' : (100 * value).toFixed(1);
}

function markdown(columns: Comparison['columns'], heads: readonly string[], rowsOf: Rows): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const titled = heads.map((head, i) => `${columns[Math.floor(i / metrics.length)]!.name} ${head} %`);
  const means = rowsOf('averages').map(([name, ...cells]) => line([`*${name}*`, ...cells]));
  const rule = `|---|${'---:|'.repeat(heads.length)}`;
  return [line(['', ...titled]), rule, ...rowsOf('structures').map(line), ...means].join('\n');
}

function text(columns: Comparison['columns'], heads: readonly string[], rowsOf: Rows): string {
  const [nameWidth, width, gap] = [18, 5, '  '];
  const line = (name: string, cells: readonly string[]): string => {
    const groups = columns.map((_, column) =>
      cells
        .slice(column * metrics.length, (column + 1) * metrics.length)
        .map((cell) => cell.padStart(width))
        .join(' '),
    );
    return [name.padEnd(nameWidth), ...groups].join(gap).trimEnd();
  };
  const groupWidth = metrics.length * (width + 1) - 1;
  const names = ['%'.padEnd(nameWidth), ...columns.map(({ name }) => name.padStart(groupWidth))].join(gap);
  const rule = '─'.repeat(names.length);
  const lines = (part: 'structures' | 'averages'): string[] =>
    rowsOf(part).map(([name, ...cells]) => line(name!, cells));
  return [names, line('', heads), rule, ...lines('structures'), rule, ...lines('averages')].join('\n');
}
