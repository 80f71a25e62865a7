import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { topK } from '../ranking/top-k.ts';
import { type Arrays, newArrays } from './arrays.ts';
import { type Calibration, certain } from './calibration.ts';
import { exclusivityOf, tailsOfRelation } from './exclusivity.ts';

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
  { certainMembers, predictedMembers }: Pick<Calibration, 'certainMembers' | 'predictedMembers'>,
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
  return { ids, degrees: Float32Array.from(ids, (id) => degrees[id]!) };
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
 * them: they come out of equal ones, such as the cap, and the lower id decides everywhere. Beside others that are near, as in the
 * complement of a set of low degrees, they may be what rounding left of numbers that differ.
 */
export function membersAreDecided(
  degrees: Float32Array,
  expected: Float32Array,
  calibration: Pick<Calibration, 'certainMembers' | 'predictedMembers'>,
  relative: number,
): boolean {
  const kept = new Set(membersOf(degrees, expected, calibration).ids);
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

/** From which degree on the recorded links of a member count: above 0, or certain where no predicted members are wanted. */
export function leastOfRecorded({ predictedMembers }: Pick<Calibration, 'predictedMembers'>): number {
  return predictedMembers === 0 ? certain : Number.MIN_VALUE;
}

/**
 * The recorded tails of a set's members as the input `recorded` of (10).
 *
 * The largest degree is that over all members, since a recorded link costs no product. The sum is that of the members of degree
 * `certain` or more and of those that are taken along: thousands of others of hardly any degree would make much of nothing.
 * Where no predicted members are wanted at all, certain ones alone count.
 * Shapes: degrees of the set [|E|], `taken` its `membersOf` → [3, |E|]: of the members with a recorded link to e the
 * largest degree, then the sum of their degrees, then κ_r(e), which is counted in `counts`.
 */
export function recordedRows(
  calibration: Pick<Calibration, 'exclusivity' | 'predictedMembers'>,
  facts: KnowledgeGraph,
  degrees: Float32Array,
  taken: Members,
  relation: number,
  counts: Pick<KnowledgeGraph, 'headsOf' | 'index' | 'relationCount'> = facts,
  arrays: Arrays = newArrays,
): Float32Array {
  const { entityCount } = facts;
  const { relationOffsets, relationGroups, relationHeads, groupOffsets, tails } = facts.index;
  const rows = arrays.take(3 * entityCount).fill(1, 2 * entityCount);
  const factor = exclusivityOf(calibration, counts, relation);
  if (factor < 1) for (const tail of tailsOfRelation(counts, relation)) rows[2 * entityCount + tail] = factor;
  const likely = new Set(taken.ids.filter((id) => degrees[id]! < certain));
  const least = leastOfRecorded(calibration);
  for (let at = relationOffsets[relation]!; at < relationOffsets[relation + 1]!; at += 1) {
    const head = relationHeads[at]!;
    const degree = degrees[head]!;
    if (degree < least) continue;
    const added = degree >= certain || likely.has(head) ? degree : 0;
    const group = relationGroups[at]!;
    for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge += 1) {
      const tail = tails[edge]!;
      rows[tail] = Math.max(rows[tail]!, degree);
      rows[entityCount + tail]! += added;
    }
  }
  return rows;
}
