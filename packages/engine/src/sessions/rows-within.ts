/**
 * How many numbers a tensor of one run may have that has rows over entities: 32 MB of float32. A run holds about eight such
 * tensors at once, and a runtime keeps their memory for the next run.
 */
export const numbersAtOnce: number = 2 ** 23;

/** How many rows of so many numbers one run takes: at most `most`, and one at least, however long it is. */
export function rowsWithin(numbers: number, width: number, most: number): number {
  return Math.max(1, Math.min(most, Math.floor(numbers / width)));
}
