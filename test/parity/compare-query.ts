import type { Tolerance } from '@fuzzqe/core/bundle';
import type { Query } from '@fuzzqe/core/query';
import { compareNumbers, compareRankings, type Engine, type PlanChoice, type Ranking } from '@fuzzqe/engine';
import type { Reference } from '../fixtures/reference.ts';
import { tolerances } from '../fixtures/tolerances.ts';

/** What differs between two answers to a query; undefined where nothing does. */
export function difference(
  actual: Ranking,
  expected: {
    readonly embedding: ArrayLike<number>;
    readonly ids: ArrayLike<number>;
    readonly scores: ArrayLike<number>;
  },
  tolerance: Tolerance,
): string | undefined {
  const embedding = compareNumbers(actual.embedding, expected.embedding, tolerance);
  if (!embedding.passed) return `embedding ${embedding.failure}`;
  return compareRankings(actual, expected, tolerance).failure;
}

/**
 * Ranks every entity for queries of one shape, and compares embeddings, scores and order with the reference.
 *
 * Throws where they differ, with the query, the way and the place.
 */
export async function expectReference(
  engine: Engine,
  reference: Reference,
  queries: readonly Query[],
  plan: PlanChoice,
): Promise<Ranking[]> {
  const k = engine.manifest.model.entities;
  const rankings = await engine.rank(queries, { k, plan });
  for (const [i, query] of queries.entries()) {
    const found = difference(rankings[i]!, reference(query, k), tolerances.parity);
    if (found !== undefined)
      throw new Error(`${engine.runtime}, ${plan}, ${JSON.stringify(query)}: ${found}`);
  }
  return rankings;
}
