import type { MetricsReport } from '@fuzzqe/core/ranking';
import {
  createFrequencyBaseline,
  createKnownFactsBaseline,
  createLinkCounter,
  createTraversalBaseline,
  type Dataset,
  type QueryScorer,
  type SampledQueries,
} from '@fuzzqe/data';
import { evaluateRanking, type PublishedFigures, type StrataReport } from '@fuzzqe/train';
import { createProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What was measured of one model or baseline. */
export interface ComparedModel {
  readonly name: string;
  readonly metrics: MetricsReport;
  /** The same by the number of links that the smaller graph lacks. */
  readonly strata: StrataReport;
}

/** A model that is opened when its turn comes and closed after it. */
export interface CandidateModel {
  readonly name: string;
  /** The folder of the run that it is; undefined for a bundle. */
  readonly run?: string;
  open(): Promise<{ readonly score: QueryScorer; close(): Promise<void> }>;
}

/** The figures of models beside those of the baselines and, where asked for, those of a paper. */
export interface Comparison {
  /** The baselines, then the models. */
  readonly columns: readonly ComparedModel[];
  readonly published: readonly PublishedFigures[];
}

/** What to compare, on which queries. */
export interface ComparisonTask {
  readonly dataset: Dataset;
  /** Which part the queries are of: it says which facts their easy answers know. */
  readonly split: 'valid' | 'test';
  readonly queries: readonly SampledQueries<string>[];
  readonly models: readonly CandidateModel[];
  readonly signal: AbortSignal;
  /** Whether to evaluate the baselines, too. Default true. */
  readonly baselines?: boolean;
  readonly published?: readonly PublishedFigures[];
}

/** Evaluates models and the baselines on the same queries. The baselines know the training facts, as the models do. */
export async function compareModels(terminal: Terminal, task: ComparisonTask): Promise<Comparison> {
  const { train, trainValid, full } = task.dataset.graphs();
  const links =
    task.split === 'test' ? createLinkCounter(trainValid, full) : createLinkCounter(train, trainValid);
  const missingLinks = task.queries.map((part) => links.count(part));
  const makers = [createTraversalBaseline, createFrequencyBaseline, createKnownFactsBaseline];
  const baselines = task.baselines === false ? [] : makers.map((make) => make(train));
  const candidates: readonly CandidateModel[] = [
    ...baselines.map(({ name, score }) => ({ name, open: async () => ({ score, close: async () => {} }) })),
    ...task.models,
  ];
  const columns: ComparedModel[] = [];
  for (const { name, open } of candidates) {
    const progress = createProgress(terminal, `Evaluating ${name}`, 'queries');
    const { score, close } = await open();
    try {
      const { strata = {}, ...metrics } = await evaluateRanking({
        queries: task.queries,
        score,
        entityCount: train.entityCount,
        missingLinks,
        onProgress: (done, total) => progress.update(done, total),
        signal: task.signal,
      });
      columns.push({ name, metrics, strata });
    } finally {
      await close();
    }
    terminal.status('');
  }
  return { columns, published: task.published ?? [] };
}
