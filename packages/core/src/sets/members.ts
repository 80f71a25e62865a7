import { topK } from '../ranking/top-k.ts';
import { degreesAt } from './listed-set.ts';
import { certain, type ProjectionSettings } from './projection-settings.ts';

/** The members of a fuzzy set whose predicted links a projection takes along. */
export interface Members {
  /** [m], the certain ones first. */
  readonly ids: Int32Array;
  /** [m], in (0, 1]. */
  readonly degrees: Float32Array;
}

/**
 * The certain members of a set and the best of the others: those with the highest S(m) · v_r(m), of equal ones the lower id.
 *
 * A link from every entity would cost |E| projections, so they go to the members through which most can be reached.
 * Shapes: degrees and `expected`, v_r by `expectedTails`, [|E|]; at most `certainMembers + predictedMembers` members.
 */
export function membersOf(
  degrees: Float32Array,
  expected: Float32Array,
  { certainMembers, predictedMembers }: Pick<ProjectionSettings, 'certainMembers' | 'predictedMembers'>,
): Members {
  const values = valuesOf(degrees.length);
  const best = (isSure: boolean, count: number): Int32Array => {
    for (let id = 0; id < degrees.length; id += 1) {
      const degree = degrees[id]!;
      values[id] = degree >= certain === isSure ? degree * expected[id]! : 0;
    }
    return bestOf(values, count);
  };
  const ids = Int32Array.from([...best(true, certainMembers), ...best(false, predictedMembers)]);
  return { ids, degrees: degreesAt(degrees, ids) };
}

/** Kept from call to call: a query of many projections would leave megabytes of these to be collected. */
let kept = new Float64Array();

/** As many numbers, until the next call. */
function valuesOf(count: number): Float64Array {
  if (kept.length < count) kept = new Float64Array(count);
  return kept.subarray(0, count);
}

/** What a computation in single precision adds to a degree by chance: `1 − exp(−x)` of a small x keeps this error. */
const rounding = 5e-7;

/**
 * Whether degrees a little off would choose the same members, so that two runtimes have to agree on what follows.
 *
 * A runtime may be off by `relative` of each degree and by its rounding. Equal numbers are no near tie where no other is near
 * them: they come out of equal ones, such as the cap, and the lower id decides everywhere. Next to others that are near, as in the
 * complement of a set of low degrees, they may be what rounding left of numbers that differ.
 */
export function membersAreDecided(
  degrees: Float32Array,
  expected: Float32Array,
  settings: Pick<ProjectionSettings, 'certainMembers' | 'predictedMembers'>,
  relative: number,
): boolean {
  const kept = new Set(membersOf(degrees, expected, settings).ids);
  const groups = { sure: createBorder(), likely: createBorder() };
  for (let id = 0; id < degrees.length; id += 1) {
    const degree = degrees[id]!;
    const error = 2 * (rounding + relative * Math.max(degree, certain));
    if (Math.abs(degree - certain) <= error) return false;
    const { keep, leave } = groups[degree >= certain ? 'sure' : 'likely'];
    const margin = rounding + relative * degree;
    if (kept.has(id)) keep(degree * expected[id]!, margin * expected[id]!);
    else if (degree > rounding) leave(degree * expected[id]!, margin * expected[id]!);
  }
  return groups.sure.isDecided() && groups.likely.isDecided();
}

/** The border between what is kept and what is left out, where each is known within a margin. */
function createBorder() {
  // Both as distances below 0, so that each side has its number next to the border as its largest.
  const [kept, left] = [createSide(), createSide()];
  return {
    keep: (value: number, margin: number): void => kept.add(-value, margin),
    leave: (value: number, margin: number): void => left.add(value, margin),
    isDecided(): boolean {
      if (left.next.value === Number.NEGATIVE_INFINITY) return true;
      if (-kept.next.value === left.next.value)
        return -kept.others() > left.next.reach && left.others() < -kept.next.reach;
      return -Math.max(kept.next.reach, kept.others()) > Math.max(left.next.reach, left.others());
    },
  };
}

/** The numbers of one side of a border: the largest of them, and how far it and the others may reach. */
function createSide() {
  const next = { value: Number.NEGATIVE_INFINITY, reach: Number.NEGATIVE_INFINITY };
  let others = Number.NEGATIVE_INFINITY;
  return {
    next,
    others: (): number => others,
    add(value: number, margin: number): void {
      if (value > next.value) {
        others = Math.max(others, next.reach);
        next.value = value;
        next.reach = value + margin;
      } else if (value < next.value) others = Math.max(others, value + margin);
      else next.reach = Math.max(next.reach, value + margin);
    },
  };
}

/** The `count` ids with the highest values, of those with any above 0. */
function bestOf(values: Float64Array, count: number): Int32Array {
  const most = Math.min(count, values.length);
  if (most === 0) return new Int32Array();
  const { ids } = topK(values, most);
  return ids.filter((id) => values[id]! > 0);
}
