import type { Random } from '@fuzzqe/core';

/**
 * Draws distinct places of a list, ascending: one from each of `most` equal stretches, or all places where there are no more.
 *
 * Writes the places to `places` and returns how many. Stretches differ by at most one place in length.
 */
export function drawPlaces(random: Random, length: number, most: number, places: Int32Array): number {
  if (length <= most) {
    for (let i = 0; i < length; i++) places[i] = i;
    return length;
  }
  for (let i = 0; i < most; i++) {
    const first = Math.floor((i * length) / most);
    places[i] = first + random.below(Math.floor(((i + 1) * length) / most) - first);
  }
  return most;
}

/** Shuffles the first `count` numbers of a list. */
export function shuffle(random: Random, values: Int32Array, count: number): void {
  for (let i = count - 1; i > 0; i--) {
    const other = random.below(i + 1);
    const value = values[i]!;
    values[i] = values[other]!;
    values[other] = value;
  }
}
