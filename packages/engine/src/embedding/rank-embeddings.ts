import { type EntitySet, FuzzError } from '@fuzzqe/core';
import { numbersAtOnce, rowsWithin } from '../sessions/rows-within.ts';
import type { Session, TensorValues } from '../sessions/session.ts';
import { chunksOf, misshapen, outputOf, stack, vector } from '../sessions/tensor-values.ts';
import type { AllowedMasks } from './allowed-masks.ts';
import { type NewEntities, newIds } from './new-entities.ts';
import { type ScoringContext, scoreEntities } from './score-entities.ts';

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

/** What embeddings are ranked with. */
export interface RankingContext extends ScoringContext {
  readonly masks: AllowedMasks;
  /** Opens the ranking without a mask; undefined, or gives undefined, where there is none that the runtime takes. */
  readonly openRankAll: (() => Promise<Session | undefined>) | undefined;
}

/**
 * How many rows one run ranks at most: their scores and their masks stay in a processor's cache, which more rows than these cost more than they
 * save by reading the entities once.
 */
const mostRanked = 16;
/** The same without masks. */
const mostRankedWithoutMask = 32;

/** How many rows one run ranks of so many entities: fewer where their scores would be more than a run may hold. */
export function rankedAtOnce(
  entities: number,
  batchSize: number,
  { numbers = numbersAtOnce, masked = true }: { readonly numbers?: number; readonly masked?: boolean } = {},
): number {
  return rowsWithin(numbers, entities, Math.min(masked ? mostRanked : mostRankedWithoutMask, batchSize));
}

/**
 * The k entities with the highest scores of each query that are not left out, with one run for as many queries as memory is for.
 *
 * Queries that leave nothing out run without masks where that can be.
 * Shapes: requests [n] → n rankings of at most k entities: as many as are allowed. k in [1, entityCount].
 *
 * @throws FuzzError `runtime`: the graph fails, or gives what is no ranking.
 */
export async function rankEmbeddings(
  context: RankingContext,
  requests: readonly RankRequest[],
  k: number,
): Promise<Pick<Ranking, 'ids' | 'scores'>[]> {
  const { masks, openRankAll, batchSize, more } = context;
  const ofModel = Math.min(k, masks.entityCount);
  const rankings: Pick<Ranking, 'ids' | 'scores'>[] = new Array(requests.length);
  const rank = async (places: readonly number[], rows: number, run: RankRun): Promise<void> => {
    for (const chunk of chunksOf(places, rows)) {
      const feeds = {
        embedding: stack(chunk.map((place) => requests[place]!.embedding)),
        k: vector([ofModel]),
      };
      const found = rankingsOf(await run(feeds, chunk), chunk.length, ofModel, masks.entityCount);
      chunk.forEach((place, i) => {
        rankings[place] = found[i]!;
      });
    }
  };
  const all = [...requests.keys()];
  const leavesOut = (place: number): boolean => (requests[place]!.excluded?.size ?? 0) > 0;
  const open = openRankAll === undefined ? [] : all.filter((place) => !leavesOut(place));
  const whole = open.length === 0 ? undefined : await openRankAll?.();
  if (whole !== undefined) {
    const rows = rankedAtOnce(masks.entityCount, batchSize, { masked: false });
    await rank(open, rows, (feeds) => whole.run(feeds));
  }
  const others = whole === undefined ? all : all.filter(leavesOut);
  if (others.length > 0) {
    const session = await context.sessions.get(context.profile.rank);
    await rank(others, masks.rows, (feeds, chunk) =>
      masks.use(
        chunk.map((place) => requests[place]!.excluded),
        (allowed) => session.run({ ...feeds, allowed }),
      ),
    );
  }
  if (more === undefined) return rankings;
  return Promise.all(
    rankings.map((ranking, place) => withNewEntities(context, requests[place]!, ranking, { more, k })),
  );
}

/** A ranking with the entities among it that came after the model. */
async function withNewEntities(
  context: RankingContext,
  { embedding, excluded }: RankRequest,
  { ids, scores }: Pick<Ranking, 'ids' | 'scores'>,
  { more, k }: { readonly more: NewEntities; readonly k: number },
): Promise<Pick<Ranking, 'ids' | 'scores'>> {
  const fresh = newIds(more).filter((id) => excluded?.has(id) !== true);
  const freshScores = await scoreEntities(context, embedding, fresh);
  const places = Array.from({ length: ids.length + fresh.length }, (_, place) => place);
  const idAt = (place: number): number => ids[place] ?? fresh[place - ids.length]!;
  const scoreAt = (place: number): number => scores[place] ?? freshScores[place - ids.length]!;
  const best = places.sort((a, b) => scoreAt(b) - scoreAt(a) || idAt(a) - idAt(b)).slice(0, k);
  return { ids: Int32Array.from(best, idAt), scores: Float32Array.from(best, scoreAt) };
}

/** Runs a ranking of the requests at some places. */
type RankRun = (feeds: TensorValues, places: readonly number[]) => Promise<TensorValues>;

/** The rankings that a run gives. */
function rankingsOf(
  outputs: TensorValues,
  rows: number,
  k: number,
  entityCount: number,
): Pick<Ranking, 'ids' | 'scores'>[] {
  const [ids, scores] = [outputOf(outputs, 'ids'), outputOf(outputs, 'scores')];
  for (const { dims, data } of [ids, scores])
    if (data.length !== rows * k) throw misshapen('ranking', [rows, k], dims);
  const found: Pick<Ranking, 'ids' | 'scores'>[] = new Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const [from, to] = [row * k, (row + 1) * k];
    found[row] = orderRanking(ids.data.subarray(from, to), scores.data.subarray(from, to), entityCount);
  }
  return found;
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
        { hint: 'Check the bundle with `fuzzqe parity`; its weights or this runtime are wrong.' },
      );
    }
    seen.add(id);
    if (scores[i]! >= leastScore) places.push(i);
  }
  places.sort((a, b) => scores[b]! - scores[a]! || ids[a]! - ids[b]!);
  const ranking = { ids: new Int32Array(places.length), scores: new Float32Array(places.length) };
  for (const [to, from] of places.entries()) {
    ranking.ids[to] = ids[from]!;
    ranking.scores[to] = scores[from]!;
  }
  return ranking;
}
