import type { Tolerance } from '@fuzzqe/core/bundle';
import type { TensorValue } from './session.ts';

/** What was found when numbers were compared with a reference. */
export interface Comparison {
  readonly passed: boolean;
  /** Why it failed, where it failed worst; undefined where it passed. */
  readonly failure: string | undefined;
  /** max |a − b|. */
  readonly maxAbsolute: number;
  /** max |a − b| / |b| where b is not 0. */
  readonly maxRelative: number;
}

/** Numbers that are taken to be right. */
export interface Reference {
  readonly dims: readonly number[];
  readonly dtype: 'float32' | 'int32';
  readonly data: ArrayLike<number>;
}

/** A ranking to compare: entities, best first, with their scores. */
export interface RankedScores {
  readonly ids: ArrayLike<number>;
  readonly scores: ArrayLike<number>;
}

/**
 * The one comparison of tensors: count, shape and dtype first, then every number.
 *
 * Formula: `|a − b| ≤ absolute + relative·|b|`, b from the reference. NaN equals nothing.
 */
export function compareTensors(actual: TensorValue, reference: Reference, tolerance: Tolerance): Comparison {
  const dtype = actual.data instanceof Float32Array ? 'float32' : 'int32';
  const { dims, data } = actual;
  if (data.length !== reference.data.length)
    return failed(`expected ${reference.data.length} numbers, got ${data.length}`);
  if (dims.length !== reference.dims.length || dims.some((dim, axis) => dim !== reference.dims[axis]))
    return failed(`expected shape [${reference.dims}], got [${dims}]`);
  if (dtype !== reference.dtype) return failed(`expected ${reference.dtype}, got ${dtype}`);
  return compareNumbers(data, reference.data, tolerance);
}

/** `compareTensors` for numbers whose shape and dtype are beyond doubt. */
export function compareNumbers(
  actual: ArrayLike<number>,
  reference: ArrayLike<number>,
  { absolute, relative }: Tolerance,
): Comparison {
  if (actual.length !== reference.length)
    return failed(`expected ${reference.length} numbers, got ${actual.length}`);
  let maxAbsolute = 0;
  let maxRelative = 0;
  let worst = -1;
  let worstExcess = 0;
  for (let i = 0; i < actual.length; i += 1) {
    const b = reference[i]!;
    const difference = Math.abs(actual[i]! - b);
    // What is no number differs without bound; a plain comparison would let NaN pass.
    const gap = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
    const excess = gap - (absolute + relative * Math.abs(b));
    if (gap > maxAbsolute) maxAbsolute = gap;
    if (b !== 0) maxRelative = Math.max(maxRelative, gap / Math.abs(b));
    if (excess > worstExcess) {
      worstExcess = excess;
      worst = i;
    }
  }
  const failure =
    worst < 0
      ? undefined
      : `at ${worst}: expected ${reference[worst]} ± ${absolute} + ${relative}·|b|, got ${actual[worst]}`;
  return { passed: failure === undefined, failure, maxAbsolute, maxRelative };
}

/**
 * Compares rankings: the same entities in the same order, except among ties.
 *
 * Entities whose reference scores differ by no more than the tolerance may swap. At the end of the list, an entity
 * that the reference does not list may stand for one that ties with the last.
 */
export function compareRankings(
  actual: RankedScores,
  reference: RankedScores,
  tolerance: Tolerance,
): Comparison {
  const scores = compareNumbers(actual.scores, reference.scores, tolerance);
  if (!scores.passed) return { ...scores, failure: `score ${scores.failure}` };
  if (actual.ids.length !== reference.ids.length)
    return { ...failed(`expected ${reference.ids.length} entities, got ${actual.ids.length}`) };

  const referenceScore = new Map<number, number>();
  for (let i = 0; i < reference.ids.length; i += 1)
    referenceScore.set(reference.ids[i]!, reference.scores[i]!);
  const last = reference.scores[reference.scores.length - 1]!;
  const seen = new Set<number>();
  for (let i = 0; i < actual.ids.length; i += 1) {
    const id = actual.ids[i]!;
    const expected = reference.scores[i]!;
    const limit = tolerance.absolute + tolerance.relative * Math.abs(expected);
    // The reference says nothing of an entity below its list, except that it cannot score more than the last.
    const own = referenceScore.get(id) ?? Math.min(actual.scores[i]!, last);
    if (seen.has(id)) return { ...scores, passed: false, failure: `entity ${id} stands twice, at ${i} too` };
    seen.add(id);
    if (!(Math.abs(own - expected) <= limit))
      return {
        ...scores,
        passed: false,
        failure: `rank ${i + 1}: expected entity ${reference.ids[i]} (${expected}), got ${id} (${own})`,
      };
  }
  return scores;
}

function failed(failure: string): Comparison {
  return {
    passed: false,
    failure,
    maxAbsolute: Number.POSITIVE_INFINITY,
    maxRelative: Number.POSITIVE_INFINITY,
  };
}
