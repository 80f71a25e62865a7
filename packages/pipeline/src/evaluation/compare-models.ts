import { expectOptions } from '@fuzzqe/core';
import type { MetricsReport } from '@fuzzqe/core/ranking';
import {
  createFrequencyBaseline,
  createKnownFactsBaseline,
  createLinkCounter,
  createTraversalBaseline,
  type Dataset,
  type SampledQueries,
} from '@fuzzqe/data';
import type { RuleSet } from '@fuzzqe/evidence';
import {
  createLinkMetrics,
  evaluateRanking,
  type HalfStrataReport,
  type LinkReport,
  type StrataReport,
} from '@fuzzqe/train';
import type { CandidateModel, EvaluationMode, OpenModel } from './candidate-model.ts';
import { createRulesBaseline } from './rules-baseline.ts';

/** What was measured of one model or baseline. */
export interface ComparedModel {
  readonly name: string;
  /** Of a model, how it answered. */
  readonly mode?: EvaluationMode;
  /** Of a run, the SHA-256 of the tensors that were measured. */
  readonly checkpoint?: string;
  readonly metrics: MetricsReport;
  /** The same by the number of links that the smaller graph lacks. */
  readonly strata: StrataReport;
  /** The same by the half-links that the smaller graph has of missing links, if they were asked for. */
  readonly halves?: HalfStrataReport;
  /** Of 1p queries by relation, and by what the known facts have of them; absent where there are none. */
  readonly links?: LinkReport;
}

/** The figures of models next to those of the baselines. */
export interface Comparison {
  /** The baselines, then the models. */
  readonly columns: readonly ComparedModel[];
}

/** What to compare, on which queries. */
export interface ComparisonTask {
  readonly dataset: Dataset;
  /** Which part the queries are of: it says which facts their easy answers know. */
  readonly split: 'valid' | 'test';
  readonly queries: readonly SampledQueries<string>[];
  readonly models: readonly CandidateModel[];
  readonly signal?: AbortSignal;
  /** Hears how many queries were ranked by a model or baseline. */
  readonly onProgress?: (name: string, done: number, total: number) => void;
  /** Whether to evaluate the baselines, too. Default true. */
  readonly baselines?: boolean;
  /** Whether to tell figures by half-links of missing links, too. Default false. */
  readonly halves?: boolean;
  /** Rules of the training facts: what they answer alone is a further baseline. Default: it is left out. */
  readonly rules?: RuleSet | undefined;
}

/**
 * Evaluates models and the baselines on the same queries. The baselines know the facts that easy answers follow from, as sets do.
 *
 * @throws FuzzError: what opening a model throws, and `evaluateRanking`.
 * @example
 * const { columns } = await compareModels({ dataset, split: 'test', queries, models: [] }); // baselines only
 */
export async function compareModels(task: ComparisonTask): Promise<Comparison> {
  expectOptions('compareModels', task, ['dataset', 'split', 'queries', 'models']);
  const { train, trainValid, full } = task.dataset.graphs();
  const [recorded, whole] = task.split === 'test' ? [trainValid, full] : [train, trainValid];
  const links = createLinkCounter(recorded, whole);
  const missingLinks = task.queries.map((part) => links.count(part));
  const halfLinks = task.halves === true ? task.queries.map((part) => links.halves(part)) : undefined;
  const makers = [createTraversalBaseline, createFrequencyBaseline, createKnownFactsBaseline];
  const byRules = task.rules === undefined ? [] : [createRulesBaseline(recorded, task.rules)];
  const baselines = task.baselines === false ? [] : [...makers.map((make) => make(recorded)), ...byRules];
  const candidates: readonly (Pick<CandidateModel, 'name' | 'open'> & Partial<CandidateModel>)[] = [
    ...baselines.map(({ name, score }) => ({ name, open: async () => ({ score, close: async () => {} }) })),
    ...task.models,
  ];
  const columns: ComparedModel[] = [];
  for (const { name, mode, open } of candidates) {
    const { score, checkpoint, close, embeds = () => true }: OpenModel = await open();
    const isRanked = (_: unknown, part: number): boolean => embeds(task.queries[part]!.structure);
    const ofLinks = createLinkMetrics(recorded);
    try {
      const {
        strata = {},
        halves,
        ...metrics
      } = await evaluateRanking({
        queries: task.queries.filter(isRanked),
        score,
        entityCount: train.entityCount,
        missingLinks: missingLinks.filter(isRanked),
        ...(halfLinks === undefined ? {} : { halfLinks: halfLinks.filter(isRanked) }),
        onRanked({ structure, anchors, relations, hard, ranks }) {
          if (structure === '1p')
            ofLinks.add({ head: anchors[0]!, relation: relations[0]!, tails: hard, ranks });
        },
        onProgress: (done, total) => task.onProgress?.(name, done, total),
        ...(task.signal === undefined ? {} : { signal: task.signal }),
      });
      const links = ofLinks.report();
      columns.push({
        name,
        ...(mode === undefined ? {} : { mode }),
        ...(checkpoint === undefined ? {} : { checkpoint }),
        metrics,
        strata,
        ...(halves === undefined ? {} : { halves }),
        ...(links.relations.length === 0 ? {} : { links }),
      });
    } finally {
      await close();
    }
  }
  return { columns };
}
