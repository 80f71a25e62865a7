/** How stated probabilities compare with what was found. */
export interface StatedReliability {
  readonly count: number;
  readonly found: number;
  /** The mean of |stated − found| of the tenth of [0, 1] that each probability is in. */
  readonly ece: number;
  readonly bins: readonly { readonly count: number; readonly stated: number; readonly found: number }[];
}

/**
 * Compares stated probabilities with outcomes, by tenths of [0, 1].
 *
 * Shapes: stated, found (1 or 0) and weights, how many probabilities each stands for, [n] each.
 */
export function reliabilityOf(
  stated: ArrayLike<number>,
  found: ArrayLike<number>,
  weights?: ArrayLike<number>,
): StatedReliability {
  const tenths = Array.from({ length: 10 }, () => ({ count: 0, weight: 0, stated: 0, found: 0 }));
  for (let i = 0; i < stated.length; i += 1) {
    const bin = tenths[Math.min(9, Math.floor(10 * stated[i]!))]!;
    const weight = weights?.[i] ?? 1;
    bin.count += 1;
    bin.weight += weight;
    bin.stated += weight * stated[i]!;
    bin.found += weight * found[i]!;
  }
  const used = tenths.filter(({ count }) => count > 0);
  const total = used.reduce((sum, { weight }) => sum + weight, 0);
  return {
    count: stated.length,
    found: Array.from(found).reduce((sum, each) => sum + each, 0),
    ece: used.reduce((sum, bin) => sum + Math.abs(bin.stated - bin.found), 0) / Math.max(total, 1e-12),
    bins: used.map((bin) => ({
      count: bin.count,
      stated: bin.stated / bin.weight,
      found: bin.found / bin.weight,
    })),
  };
}

/** The Brier score: the mean of (stated − found)². Shapes: stated and found (1 or 0), [n] each; 0 for none. */
export function brierOf(stated: readonly number[], found: readonly number[]): number {
  const sum = stated.reduce((total, each, i) => total + (each - found[i]!) ** 2, 0);
  return sum / Math.max(1, stated.length);
}
