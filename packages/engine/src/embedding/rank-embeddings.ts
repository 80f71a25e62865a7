import { type EntitySet, FuzzError } from '@fuzzqe/core';
import { numbersAtOnce, rowsWithin } from '../sessions/rows-within.ts';
import { chunksOf, misshapen, outputOf, stack, vector } from '../sessions/tensor-values.ts';
import type { AllowedMasks } from './allowed-masks.ts';
import type { EmbeddingContext } from './embed-plans.ts';

/** What the model says about one query, before names and known facts. */
export interface Ranking {
  /** S_q, [d]. */
  readonly embedding: Float32Array;
  /** At most k, best first, ties to the lower id. */
  readonly ids: Int32Array;
  /** φ(q, e) of `ids`. */
  readonly scores: Float32Array;
}

/** What is ranked, and what is left out of it. */
export interface RankRequest {
  readonly embedding: Float32Array;
  readonly excluded: EntitySet | undefined;
}

/**
 * How many rows one run ranks at most: their scores and their masks stay in a processor's cache, which more rows than these cost more than they
 * save by reading the entities once.
 */
const mostRanked = 16;

/** How many rows one run ranks of so many entities: fewer where their scores would be more than a run may hold. */
export function rankedAtOnce(entities: number, batchSize: number, numbers: number = numbersAtOnce): number {
  return rowsWithin(numbers, entities, Math.min(mostRanked, batchSize));
}

/**
 * The k entities with the highest scores of each query that are not left out, with one run for as many queries as there are masks.
 *
 * Shapes: requests [n] → n rankings of at most k entities: as many as are allowed. k in [1, entityCount].
 *
 * @throws FuzzError `runtime`: the graph fails, or gives what is no ranking.
 */
export async function rankEmbeddings(
  { profile, sessions }: EmbeddingContext,
  masks: AllowedMasks,
  requests: readonly RankRequest[],
  k: number,
): Promise<Pick<Ranking, 'ids' | 'scores'>[]> {
  const session = await sessions.get(profile.rank);
  const rankings: Pick<Ranking, 'ids' | 'scores'>[] = [];
  for (const chunk of chunksOf(requests, masks.rows)) {
    const outputs = await masks.use(
      chunk.map(({ excluded }) => excluded),
      (allowed) =>
        session.run({
          embedding: stack(chunk.map(({ embedding }) => embedding)),
          allowed,
          k: vector([k]),
        }),
    );
    const [ids, scores] = [outputOf(outputs, 'ids'), outputOf(outputs, 'scores')];
    for (const { dims, data } of [ids, scores])
      if (data.length !== chunk.length * k) throw misshapen('ranking', [chunk.length, k], dims);
    for (let from = 0; from < ids.data.length; from += k)
      rankings.push(
        orderRanking(
          ids.data.subarray(from, from + k),
          scores.data.subarray(from, from + k),
          masks.entityCount,
        ),
      );
  }
  return rankings;
}

// What is not allowed has the score −1; rounding puts a score of what is allowed a little below 0 at most.
const leastScore = -0.5;

/**
 * The answers among what the ranking graph gives, best first, ties to the lower id: runtimes on a GPU leave the order of equal
 * scores open.
 *
 * Shapes: [k], [k] → at most k, without those that were not allowed.
 *
 * @throws FuzzError `runtime`: ids that are none or occur twice, or scores that are no finite numbers.
 */
export function orderRanking(
  ids: ArrayLike<number>,
  scores: ArrayLike<number>,
  entityCount: number,
): Pick<Ranking, 'ids' | 'scores'> {
  const places: number[] = [];
  const seen = new Set<number>();
  for (let i = 0; i < ids.length; i += 1) {
    const id = ids[i]!;
    if (id < 0 || id >= entityCount || seen.has(id) || !Number.isFinite(scores[i])) {
      throw new FuzzError(
        'runtime',
        `ranking: expected distinct entities with finite scores, got ${id} with ${scores[i]}`,
        { hint: 'Check the bundle with `fuzzqe parity`; its weights or this runtime are at fault.' },
      );
    }
    seen.add(id);
    if (scores[i]! >= leastScore) places.push(i);
  }
  places.sort((a, b) => scores[b]! - scores[a]! || ids[a]! - ids[b]!);
  return {
    ids: Int32Array.from(places, (i) => ids[i]!),
    scores: Float32Array.from(places, (i) => scores[i]!),
  };
}
