import { type EntitySet, FuzzError } from '@fuzzqe/core';
import { type TopK, topK } from '@fuzzqe/core/ranking';
import { degreesAt } from '@fuzzqe/core/sets';

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
  /** What comes first: members of at least the degree `from`, then the recorded ones of any degree above 0. */
  readonly answers?: { readonly from: number; readonly recorded: EntitySet } | undefined;
}

/**
 * The k members of a fuzzy set with the highest degrees, or fewer where fewer are wanted or there.
 *
 * Shapes: degrees [|E|].
 *
 * @throws FuzzError `runtime`: a degree that is not a number.
 */
export function topDegrees(
  degrees: Float32Array,
  { k, minDegree = 0, excluded, answers }: WantedMembers,
): RankedSet {
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
  const ranked = ids.subarray(0, count);
  const chosen = answers === undefined ? ranked : answersFirst(ranked, open, k, answers);
  return { ids: chosen, degrees: degreesAt(open, chosen) };
}

/** Moves recorded members whose degree is below `from` before the others that are below it. */
function answersFirst(
  ranked: Int32Array,
  degrees: Float32Array,
  k: number,
  { from, recorded }: NonNullable<WantedMembers['answers']>,
): Int32Array {
  const limit = Math.fround(from);
  const doubted: number[] = [];
  for (const id of recorded) if (degrees[id]! > 0 && degrees[id]! < limit) doubted.push(id);
  if (doubted.length === 0) return ranked;
  doubted.sort((a, b) => degrees[b]! - degrees[a]! || a - b);
  const sure = ranked.filter((id) => degrees[id]! >= limit);
  const others = ranked.filter((id) => degrees[id]! < limit && !recorded.has(id));
  return Int32Array.from([...sure, ...doubted, ...others].slice(0, k));
}

function best(degrees: Float32Array, k: number): TopK {
  try {
    return topK(degrees, k);
  } catch (cause) {
    if (!(cause instanceof FuzzError)) throw cause;
    throw new FuzzError('runtime', cause.message, {
      hint: 'Check the bundle with `fuzzqe parity`; its weights or this runtime are wrong.',
      cause,
    });
  }
}
