import type { Ranked } from '@fuzzqe/bundle';
import type { ParityCase } from '../cases/parity-case.ts';

/** Returns the mean overlaps of the answers of a profile with those of `fp32`, over the queries that both answered; null where there are none. */
export function meanOverlaps(
  answers: readonly { readonly entry: ParityCase; readonly ranked: Ranked | undefined }[],
  expected: (entry: ParityCase) => Ranked | undefined,
): { readonly overlap10: number; readonly rbo: number } | null {
  const pairs = answers.flatMap(({ entry, ranked }) => {
    const other = expected(entry);
    return other === undefined || ranked === undefined ? [] : [[ranked.ids, other.ids] as const];
  });
  if (pairs.length === 0) return null;
  const mean = (of: (actual: ArrayLike<number>, expected: ArrayLike<number>) => number): number =>
    pairs.reduce((sum, [one, other]) => sum + of(one, other), 0) / pairs.length;
  return { overlap10: mean(overlap), rbo: mean(rankBiasedOverlap) };
}

/** The share of `expected` that is in `actual` too. Range: [0, 1]. */
export function overlap(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  const listed = new Set(Array.from(actual));
  return Array.from(expected).filter((id) => listed.has(id)).length / expected.length;
}

/**
 * Rank-biased overlap of two lists of one length, extrapolated past their end: places at the top weigh more.
 *
 * Formula: `(1 − p)·Σ_{d ≤ k} p^{d−1}·A_d + p^k·A_k`, A_d the overlap of the first d, p = 0.9. Range: [0, 1]; 1 for equal lists.
 * Source: Webber, Moffat and Zobel, "A similarity measure for indefinite rankings" (TOIS 2010), equation (30).
 */
export function rankBiasedOverlap(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  const p = 0.9;
  const [left, right] = [new Set<number>(), new Set<number>()];
  const k = Math.min(actual.length, expected.length);
  let sum = 0;
  let agreement = 1;
  for (let depth = 1; depth <= k; depth += 1) {
    left.add(actual[depth - 1]!);
    right.add(expected[depth - 1]!);
    agreement = [...left].filter((id) => right.has(id)).length / depth;
    sum += p ** (depth - 1) * agreement;
  }
  return (1 - p) * sum + p ** k * agreement;
}
