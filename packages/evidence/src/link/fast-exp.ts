/** 2^(n/8) for n from −1200 to 1200. */
const powers = Float64Array.from({ length: 2401 }, (_, i) => 2 ** ((i - 1200) / 8));
const [perUnit, eighth] = [8 * Math.LOG2E, Math.LN2 / 8];

/**
 * exp(x), off by at most 10⁻⁸ of itself: a polynomial on [−ln 2 / 16, ln 2 / 16] times a power of 2.
 *
 * Rows of degrees have an exponential for each entity, and `Math.exp` takes several times as long. Range: x in [−100, 100]; beyond, the nearer bound.
 */
export function fastExp(x: number): number {
  const bounded = x < -100 ? -100 : x > 100 ? 100 : x;
  const n = Math.floor(bounded * perUnit + 0.5);
  const r = bounded - n * eighth;
  return powers[n + 1200]! * (1 + r * (1 + r * (0.5 + r * (1 / 6 + r * (1 / 24)))));
}
