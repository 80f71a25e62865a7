import { compareCase, profileTolerances, type RankedAnswer } from '@fuzzqe/bundle';
import type { Query } from '@fuzzqe/core/query';
import type { BundleEngine, PlanChoice, Ranking } from '@fuzzqe/engine';
import type { Reference } from '../fixtures/reference.ts';
import { tolerances } from '../fixtures/tolerances.ts';

/** Returns how two answers to one query differ, which may only add in another order; undefined where they do not. */
export function difference(actual: Ranking, expected: RankedAnswer): string | undefined {
  return compareCase(actual, expected, {
    embedding: tolerances.twoComputations,
    score: tolerances.twoComputations,
  }).failure;
}

/**
 * Ranks every entity for queries, and compares embeddings, scores and order with the reference.
 *
 * Throws where they differ, with the query, the kind of plan and the place.
 */
export async function expectReference(
  engine: BundleEngine,
  reference: Reference,
  queries: readonly Query[],
  plan: PlanChoice,
): Promise<Ranking[]> {
  const k = engine.manifest.model.entities;
  const rankings = await engine.rank(queries, { k, plan });
  for (const [i, query] of queries.entries()) {
    const { failure } = compareCase(rankings[i]!, reference(query, k), profileTolerances.fp32);
    if (failure !== undefined)
      throw new Error(`${engine.runtime}, ${plan}, ${JSON.stringify(query)}: ${failure}`);
  }
  return rankings;
}
