import type { ModelConfig, Parameters } from '@fuzzqe/core/model';
import { createQueriesBuilder, queryRow, type SampledQueries } from '@fuzzqe/data';
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

/** The queries that validation can rank: those with hard answers. Parts of which none is left are left out. */
export function validatedQueries(queries: readonly SampledQueries[]): SampledQueries[] {
  return queries.map(withHardAnswers).filter(({ count }) => count > 0);
}

function withHardAnswers(queries: SampledQueries): SampledQueries {
  const { offsets } = queries.hard;
  const rows = Array.from({ length: queries.count }, (_, row) => row);
  const kept = rows.filter((row) => offsets[row + 1]! > offsets[row]!);
  if (kept.length === rows.length) return queries;
  const builder = createQueriesBuilder(queries.shape);
  for (const row of kept) builder.add(queryRow(queries, row));
  return builder.build();
}
