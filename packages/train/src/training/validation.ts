import type { ModelConfig, Parameters } from '@fuzzqe/core/model';
import type { StructureName } from '@fuzzqe/core/query';
import { evaluateRanking } from '../evaluation/evaluate-ranking.ts';
import type { SampledQueries } from '../sampling/sampled-queries.ts';
import type { Scorer } from './scorer.ts';

/** What a validation found, as fractions. */
export interface Validation {
  /** The mean over the structures, which decides which parameters are the best. */
  readonly mrr: number;
  /** Filtered MRR of each structure that has validation queries. */
  readonly structures: Readonly<Partial<Record<StructureName, number>>>;
}

/** Ranks the hard answers of validation queries with the given parameters. */
export async function validate(
  scorer: Scorer,
  { entities }: Pick<ModelConfig, 'entities'>,
  queries: readonly SampledQueries[],
  parameters: Parameters,
): Promise<Validation> {
  await scorer.load(parameters);
  const report = await evaluateRanking({ queries, score: scorer.score, entityCount: entities });
  const structures = Object.fromEntries(
    Object.entries(report.structures).map(([name, { mrr }]) => [name, mrr]),
  );
  const each = Object.values(structures);
  return { mrr: each.reduce((sum, mrr) => sum + mrr, 0) / each.length, structures };
}
