import { codeOf } from './symmetric-codes.ts';

/**
 * Codes of a row that sum to 0, as the row does: `row_i ≈ scale · codes_i`.
 *
 * Products with the codes then do not change where the same number is added to all that they are multiplied with. Each is
 * rounded to the nearest, but for as many as that sum is off by, which go the other way: those nearest to the middle
 * between two codes, of equal ones the first. Shape: [d].
 */
export function balancedCodes(row: Float64Array, scale: number): Int8Array {
  const codes = Int8Array.from(row, (value) => codeOf(value, scale));
  let excess = codes.reduce((sum, code) => sum + code, 0);
  const step = Math.sign(excess);
  for (; excess !== 0; excess -= step) {
    let [at, most] = [-1, Number.NEGATIVE_INFINITY];
    for (let i = 0; i < row.length; i += 1) {
      const over = step * (codes[i]! - row[i]! / scale);
      if (over > most && step * codes[i]! > -127) [at, most] = [i, over];
    }
    codes[at]! -= step;
  }
  return codes;
}
