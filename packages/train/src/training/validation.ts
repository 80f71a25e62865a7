import type { ModelConfig, Parameters } from '@fuzzqe/core/model';
import type { SampledQueries } from '@fuzzqe/data';
import { evaluateRanking } from '../evaluation/evaluate-ranking.ts';
import type { Validation } from '../reporting/log-entry.ts';
import type { Scorer } from './scorer.ts';

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
