import type { GoldenCase } from './golden.ts';
import type { Tolerance } from './manifest.ts';
import type { ParityTolerances } from './tolerances.ts';

/** What is said of one query: its embedding, and the best entities with their scores, best first. */
export type RankedAnswer = {
  readonly [Part in keyof Pick<GoldenCase, 'embedding' | 'ids' | 'scores'>]: ArrayLike<number>;
};

/** The best entities with their scores or degrees, best first. */
export type Ranked = Pick<RankedAnswer, 'ids' | 'scores'>;

/** How far numbers are from those that are taken to be right. */
export interface Comparison {
  /** Why they are too far, where they are so most; undefined where they are not. */
  readonly failure: string | undefined;
  /** max |a − b|. */
  readonly absolute: number;
  /** max |a − b| / max |b|: the difference compared with the numbers around it. */
  readonly relative: number;
  /** max |a − b| / (absolute + relative·|b|): the share of the tolerance that is used. Range: [0, 1] where they pass. */
  readonly share: number;
  /** Where |a − b| is largest. */
  readonly element: number;
}

/** How one answer compares with what was expected. */
export interface CaseComparison {
  /** Why it is not the expected one; undefined where it is. */
  readonly failure: string | undefined;
  readonly embedding: Comparison;
  readonly score: Comparison;
  /** The same entities in the same order outside ties, with scores within the tolerance. */
  readonly sameRanking: boolean;
}

/**
 * The one comparison of answers: embedding, scores, and the order of entities outside ties.
 *
 * @example
 * const expected = { embedding: [0.5, 0.25], ids: [3, 1], scores: [0.9, 0.4] };
 * const comparison = compareCase({ ...expected, ids: [1, 3] }, expected, tolerancesOf('fp32'));
 */
export function compareCase(
  actual: RankedAnswer,
  expected: RankedAnswer,
  tolerances: Pick<ParityTolerances, 'embedding' | 'score'>,
): CaseComparison {
  const embedding = compareNumbers(actual.embedding, expected.embedding, tolerances.embedding);
  const { failure, score } = compareRanking(actual, expected, tolerances.score);
  return {
    failure: embedding.failure === undefined ? failure : `embedding ${embedding.failure}`,
    embedding,
    score,
    sameRanking: failure === undefined,
  };
}

/** The same entities in the same order outside ties, with scores or degrees within the tolerance. */
export function compareRanking(
  actual: Ranked,
  expected: Ranked,
  tolerance: Tolerance,
  what: 'score' | 'degree' = 'score',
): { readonly failure: string | undefined; readonly score: Comparison } {
  const score = compareNumbers(actual.scores, expected.scores, tolerance);
  const failure =
    score.failure === undefined ? rankingFailure(actual, expected, tolerance) : `${what} ${score.failure}`;
  return { failure, score };
}

/**
 * Compares numbers one by one.
 *
 * Formula: `|a − b| ≤ absolute + relative·|b|`, b the expected one. NaN equals nothing.
 */
export function compareNumbers(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  { absolute: floor, relative: slope }: Tolerance,
): Comparison {
  if (actual.length !== expected.length) {
    const failure = `expected ${expected.length} numbers, got ${actual.length}`;
    const far = Number.POSITIVE_INFINITY;
    return { failure, absolute: far, relative: far, share: far, element: 0 };
  }
  let [absolute, element, largest, share, worst] = [0, 0, 0, 0, 0];
  for (let i = 0; i < actual.length; i += 1) {
    const size = Math.abs(expected[i]!);
    const difference = Math.abs(actual[i]! - expected[i]!);
    // What is no number differs without bound; a plain comparison would let NaN pass.
    const gap = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
    if (size > largest) largest = size;
    if (gap > absolute) [absolute, element] = [gap, i];
    const limit = floor + slope * size;
    // An expected value that is no finite number judges nothing, so nothing passes next to it.
    const used = gap === 0 ? 0 : Number.isFinite(limit) ? gap / limit : Number.POSITIVE_INFINITY;
    if (used > share) [share, worst] = [used, i];
  }
  const failure =
    share <= 1
      ? undefined
      : `at ${worst}: expected ${expected[worst]} ± ${floor} + ${slope}·|b|, got ${actual[worst]}`;
  return { failure, absolute, relative: absolute === 0 ? 0 : absolute / largest, share, element };
}

/**
 * Why two rankings of equal scores are not the same entities in the same order; undefined where they are.
 *
 * Entities whose expected scores differ by no more than the tolerance may swap. At the end of the list, an entity that is
 * not expected may stand for one that ties with the last.
 */
function rankingFailure(
  actual: Ranked,
  expected: Ranked,
  { absolute, relative }: Tolerance,
): string | undefined {
  if (actual.ids.length !== expected.ids.length)
    return `expected ${expected.ids.length} entities, got ${actual.ids.length}`;
  const expectedScore = new Map<number, number>();
  for (let i = 0; i < expected.ids.length; i += 1) expectedScore.set(expected.ids[i]!, expected.scores[i]!);
  const last = expected.scores[expected.scores.length - 1]!;
  const seen = new Set<number>();
  for (let i = 0; i < actual.ids.length; i += 1) {
    const id = actual.ids[i]!;
    const score = expected.scores[i]!;
    // Nothing is known of an entity below the expected list, except that it cannot score more than the last.
    const own = expectedScore.get(id) ?? Math.min(actual.scores[i]!, last);
    if (seen.has(id)) return `entity ${id} stands twice, at ${i} too`;
    seen.add(id);
    if (!(Math.abs(own - score) <= absolute + relative * Math.abs(score)))
      return `rank ${i + 1}: expected entity ${expected.ids[i]} (${score}), got ${id} (${own})`;
  }
  return undefined;
}
