import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
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
 * The certain members of a set and the best of the others; of equal degrees the lower id comes first.
 *
 * A link from every entity would cost |E| projections; what is left out has a degree below all that is kept.
 * Shapes: degrees [|E|]; at most `certainMembers + predictedMembers` members.
 */
export function membersOf(
  degrees: Float32Array,
  { certainMembers, predictedMembers }: Pick<Calibration, 'certainMembers' | 'predictedMembers'>,
): Members {
  const sure = createBest(degrees, certainMembers);
  const likely = createBest(degrees, predictedMembers);
  for (let id = 0; id < degrees.length; id += 1) {
    const degree = degrees[id]!;
    if (degree >= certain) sure.offer(id, degree);
    else if (degree > 0) likely.offer(id, degree);
  }
  const ids = Int32Array.from([...sure.sorted(), ...likely.sorted()]);
  return { ids, degrees: Float32Array.from(ids, (id) => degrees[id]!) };
}

/** What a computation in single precision adds to a degree by chance: `1 − exp(−x)` of a small x keeps this error. */
const rounding = 5e-7;

/**
 * Whether degrees a little off would choose the same members, so that two runtimes have to agree on what follows.
 *
 * A runtime may be off by `relative` of each degree and by its rounding. Equal degrees are no near tie: they come out of
 * equal numbers, such as the cap, and the lower id decides everywhere.
 */
export function membersAreDecided(
  degrees: Float32Array,
  calibration: Pick<Calibration, 'certainMembers' | 'predictedMembers'>,
  relative: number,
): boolean {
  const isNear = (one: number, other: number): boolean =>
    Math.abs(one - other) <= 2 * (rounding + relative * Math.max(one, other));
  const kept = new Set(membersOf(degrees, calibration).ids);
  const lowestKept = { sure: Number.POSITIVE_INFINITY, likely: Number.POSITIVE_INFINITY };
  const highestLeft = { sure: 0, likely: 0 };
  for (let id = 0; id < degrees.length; id += 1) {
    const degree = degrees[id]!;
    if (isNear(degree, certain)) return false;
    const group = degree >= certain ? 'sure' : 'likely';
    if (kept.has(id)) lowestKept[group] = Math.min(lowestKept[group], degree);
    else highestLeft[group] = Math.max(highestLeft[group], degree);
  }
  return (['sure', 'likely'] as const).every((group) => {
    const [low, high] = [lowestKept[group], highestLeft[group]];
    if (low === Number.POSITIVE_INFINITY) return true;
    return low === high || high <= rounding || !isNear(low, high);
  });
}

/** Keeps the `count` ids with the highest degrees; ids are offered in ascending order. */
function createBest(degrees: Float32Array, count: number) {
  const byDegree = (a: number, b: number): number => degrees[b]! - degrees[a]! || a - b;
  const kept: number[] = [];
  // Nothing at or below the floor can be among the best any more.
  let floor = count === 0 ? Number.POSITIVE_INFINITY : 0;
  return {
    offer(id: number, degree: number): void {
      if (degree <= floor) return;
      kept.push(id);
      if (kept.length < 2 * count + 64) return;
      kept.sort(byDegree).length = count;
      floor = degrees[kept[count - 1]!]!;
    },
    sorted: (): readonly number[] => kept.sort(byDegree).slice(0, count),
  };
}

/**
 * The recorded tails of a set's members as the input `recorded` of (10).
 *
 * All members of degree `certain` or more count, those beyond `certainMembers` too: a recorded link costs no product.
 * Shapes: degrees of the set [|E|], `taken` its `membersOf` → [3, |E|]: of the members with a recorded link to e the
 * largest degree, then the sum of their degrees, then κ_r(e), which is counted in `counts`.
 */
export function recordedRows(
  calibration: Pick<Calibration, 'exclusivity'>,
  facts: KnowledgeGraph,
  degrees: Float32Array,
  taken: Members,
  relation: number,
  counts: Pick<KnowledgeGraph, 'headsOf' | 'index' | 'relationCount'> = facts,
): Float32Array {
  const { entityCount } = facts;
  const { relationOffsets, relationGroups, relationHeads, groupOffsets, tails } = facts.index;
  const rows = new Float32Array(3 * entityCount).fill(1, 2 * entityCount);
  const factor = exclusivityOf(calibration, counts, relation);
  if (factor < 1) for (const tail of tailsOfRelation(counts, relation)) rows[2 * entityCount + tail] = factor;
  const likely = new Set(taken.ids.filter((id) => degrees[id]! < certain));
  for (let at = relationOffsets[relation]!; at < relationOffsets[relation + 1]!; at += 1) {
    const head = relationHeads[at]!;
    const degree = degrees[head]!;
    if (degree < certain && !likely.has(head)) continue;
    const group = relationGroups[at]!;
    for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge += 1) {
      const tail = tails[edge]!;
      rows[tail] = Math.max(rows[tail]!, degree);
      rows[entityCount + tail]! += degree;
    }
  }
  return rows;
}
