import { type Calibration, certain } from './calibration.ts';

/** The members of a fuzzy set that a projection takes along. */
export interface Members {
  /** [m], the certain ones first. */
  readonly ids: Int32Array;
  /** [m], in (0, 1]. */
  readonly degrees: Float32Array;
}

/**
 * The certain members of a set and the best of the others; of equal degrees the lower id comes first.
 *
 * A link from every entity would cost |E| projections; what is left out has a degree below all that is kept.
 * Shapes: degrees [|E|]; at most `certainMembers + predictedMembers` members.
 */
export function membersOf(degrees: Float32Array, calibration: Calibration): Members {
  const sure: number[] = [];
  const likely: number[] = [];
  for (let id = 0; id < degrees.length; id += 1) {
    const degree = degrees[id]!;
    if (degree >= certain) sure.push(id);
    else if (degree > 0) likely.push(id);
  }
  const ids = Int32Array.from([
    ...highest(degrees, sure, calibration.certainMembers),
    ...highest(degrees, likely, calibration.predictedMembers),
  ]);
  return { ids, degrees: Float32Array.from(ids, (id) => degrees[id]!) };
}

/** The `count` of `ids` with the highest degrees, by degree. `ids` ascend. */
function highest(degrees: Float32Array, ids: readonly number[], count: number): readonly number[] {
  const byDegree = (a: number, b: number): number => degrees[b]! - degrees[a]! || a - b;
  if (ids.length <= count) return ids.toSorted(byDegree);
  // A sample of the order is enough to drop most of a long list before it is sorted.
  const kept: number[] = [];
  let floor = 0;
  for (const id of ids) {
    if (kept.length >= count && degrees[id]! <= floor) continue;
    kept.push(id);
    if (kept.length < 2 * count + 64) continue;
    kept.sort(byDegree).length = count;
    floor = count === 0 ? 1 : degrees[kept[count - 1]!]!;
  }
  return kept.sort(byDegree).slice(0, count);
}
