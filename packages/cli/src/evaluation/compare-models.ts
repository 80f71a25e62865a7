import type { MetricsReport } from '@fuzzqe/core';
import {
  createFrequencyBaseline,
  createReport,
  createTraversalBaseline,
  type Dataset,
  evaluateRanking,
  formatReportMarkdown,
  formatReportText,
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

const titles = { mrr: 'MRR %', hits1: 'Hits@1 %', hits3: 'Hits@3 %', hits10: 'Hits@10 %' } as const;

/** All four metrics of a comparison: MRR for every model, then Hits@k of the last one beside it. */
export function formatComparison({ columns }: Comparison, form: 'text' | 'markdown'): string {
  const format = form === 'text' ? formatReportText : formatReportMarkdown;
  const metrics = Object.keys(titles) as (keyof typeof titles)[];
  return metrics.map((metric) => format(createReport(columns, metric))).join('\n');
}
