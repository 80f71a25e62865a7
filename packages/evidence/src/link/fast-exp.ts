/** 2ⁿ for n from −150 to 150. */
const powers = Float64Array.from({ length: 301 }, (_, i) => 2 ** (i - 150));

/**
 * exp(x), off by at most 10⁻⁸ of itself: a polynomial on [−ln 2 / 2, ln 2 / 2] times a power of 2.
 *
 * Rows of degrees have an exponential for each entity, which `Math.exp` takes four times as long for. Range: x in [−100, 100]; beyond, the nearest of these.
 */
export function fastExp(x: number): number {
  const bounded = x < -100 ? -100 : x > 100 ? 100 : x;
  const n = Math.floor(bounded * Math.LOG2E + 0.5);
  const r = bounded - n * Math.LN2;
  const tail = 1 / 24 + r * (1 / 120 + r * (1 / 720 + r * (1 / 5040)));
  return powers[n + 150]! * (1 + r * (1 + r * (0.5 + r * (1 / 6 + r * tail))));
}
