import { confidencesOf } from '../kg/fact-confidences.ts';
import { groupAt } from '../kg/fact-rows.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { type Arrays, newArrays } from './arrays.ts';
import type { Members } from './members.ts';
import { certain, highestPredicted, type ProjectionSettings } from './projection-settings.ts';
import { createScalarJoin } from './scalar-join.ts';
import type { SetLogic } from './set-logic.ts';

/** What the projection of a set is computed from. */
export interface ProjectedSet {
  /** The degrees of the set [|E|]. */
  readonly set: Float32Array;
  /** The members whose links count with what is predicted of them. */
  readonly members: Members;
  /** (9) of each member's links [m] of [n]. */
  readonly rows: readonly Float32Array[];
  readonly relation: number;
  /** The column of each entity in the rows [|E|]. Default: rows have a column for each entity, by ids. */
  readonly columns?: Int32Array | undefined;
}

const { fround } = Math;

/**
 * (10) The projection of a fuzzy set through the links of its members.
 *
 * `y(e) = max(max_{m ∈ M} S(m) ∧ μ_mr(e), max_{n: (n, r, e) recorded} S(n) ∧ μ_nr(e))`,
 * `t(e) = Σ_{m ∈ M} S(m) ∧ μ_mr(e) + Σ S(n) ∧ μ_nr(e)` over the other members n of degree 0.95 or more with a recorded link to e,
 * `P_r(S)(e) = y(e) ∨ (1 − exp(−s · max(t(e) − y(e), 0)))`, at most `highestPredicted` where y(e) is below that, and 1 where y(e) is 1.
 *
 * Shapes: n columns of entities, by default all → [n] in [0, 1].
 */
export function projectSet(
  logic: Pick<SetLogic, 'and' | 'or'>,
  { support }: Pick<ProjectionSettings, 'support'>,
  facts: Pick<KnowledgeGraph, 'index' | 'rows' | 'confidences'>,
  projected: ProjectedSet,
  arrays: Arrays = newArrays,
): Float32Array {
  const { members, rows } = projected;
  const width = rows[0]?.length ?? 0;
  const [best, total] = [arrays.take(width), arrays.take(width)];
  const membership = arrays.take(width);
  for (const [m, row] of rows.entries()) {
    const degree = members.degrees[m]!;
    const reached = degree === 1 ? row : logic.and(membership.fill(degree), row, membership);
    for (let id = 0; id < width; id += 1) {
      const degree = reached[id]!;
      if (degree > best[id]!) best[id] = degree;
      total[id]! += degree;
    }
  }
  addRecorded(logic, facts, projected, best, total);
  const more = membership;
  for (let id = 0; id < width; id += 1) {
    const others = total[id]! - best[id]!;
    more[id] = others > 0 ? -Math.expm1(-support * others) : 0;
  }
  const joined = logic.or(best, more, total);
  for (let id = 0; id < width; id += 1) {
    // Rounding can leave a ∨ b below a.
    joined[id] = Math.max(best[id]!, Math.min(joined[id]!, highestPredicted));
  }
  arrays.giveBack(best);
  arrays.giveBack(more);
  return joined;
}

/** Adds the recorded links of the members of a set: to the maximum those of all, to the sum those of certain ones that have no row. */
function addRecorded(
  logic: Pick<SetLogic, 'and'>,
  { index, rows, confidences }: Pick<KnowledgeGraph, 'index' | 'rows' | 'confidences'>,
  { set, members, relation, columns }: ProjectedSet,
  best: Float32Array,
  total: Float32Array,
): void {
  const taken = new Set(members.ids);
  const join = createScalarJoin(logic.and);
  const { relationStarts, relationEnds, relationHeads, groupStarts, groupEnds, tails } = rows;
  for (let at = relationStarts[relation]!; at < relationEnds[relation]!; at += 1) {
    const head = relationHeads[at]!;
    const degree = set[head]!;
    if (degree === 0 || taken.has(head)) continue;
    const group = groupAt({ index, rows }, at, relation);
    let { from: unsure, to } = confidencesOf(confidences, head, relation);
    for (let edge = groupStarts[group]!; edge < groupEnds[group]!; edge += 1) {
      const tail = tails[edge]!;
      let reached = degree;
      // Rejected links stand between recorded ones.
      while (unsure < to && confidences!.edges[3 * unsure + 2]! < tail) unsure += 1;
      if (unsure < to && confidences!.edges[3 * unsure + 2] === tail)
        reached = join(degree, confidences!.degrees[unsure++]!);
      const column = columns?.[tail] ?? tail;
      if (reached > best[column]!) best[column] = reached;
      if (degree >= certain) total[column] = fround(total[column]! + reached);
    }
  }
}
