import { type EntitySet, FuzzError } from '@fuzzqe/core';
import { type TopK, topK } from '@fuzzqe/core/ranking';

/** The best of a fuzzy set. */
export interface RankedSet {
  /** At most k, best first, ties to the lower id. */
  readonly ids: Int32Array;
  /** Of `ids`, in (0, 1]. */
  readonly degrees: Float32Array;
}

/** Which members of a fuzzy set are wanted. */
export interface WantedMembers {
  /** In [1, |E|]. */
  readonly k: number;
  /** In [0, 1]; a degree of 0 is no member in any case. */
  readonly minDegree?: number | undefined;
  readonly excluded?: EntitySet | undefined;
}

/**
 * The k members of a fuzzy set with the highest degrees, or fewer where fewer are wanted or there.
 *
 * Shapes: degrees [|E|].
 *
 * @throws FuzzError `runtime`: a degree that is not a number.
 */
export function topDegrees(degrees: Float32Array, { k, minDegree = 0, excluded }: WantedMembers): RankedSet {
  // Degrees are of single precision: a limit of 0.7 is meant to keep what is as near to it as they can be.
  const limit = Math.fround(minDegree);
  let open = degrees;
  if (excluded !== undefined) {
    open = degrees.slice();
    for (const id of excluded) open[id] = -1;
  }
  const { ids, scores } = best(open, k);
  let count = 0;
  while (count < k && scores[count]! > 0 && scores[count]! >= limit) count += 1;
  return { ids: ids.subarray(0, count), degrees: Float32Array.from(scores.subarray(0, count)) };
}

function best(degrees: Float32Array, k: number): TopK {
  try {
    return topK(degrees, k);
  } catch (cause) {
    if (!(cause instanceof FuzzError)) throw cause;
    throw new FuzzError('runtime', cause.message, {
      hint: 'Check the bundle with `fuzzqe parity`; its weights or this runtime are at fault.',
      cause,
    });
  }
}
