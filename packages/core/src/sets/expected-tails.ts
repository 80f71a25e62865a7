import { groupAt } from '../kg/fact-rows.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { type Arrays, newArrays } from './arrays.ts';

/** How many tails a link is expected to have beyond the recorded ones, for each recorded one. */
const growth = 0.1;
/** The number of tails that stands for none: an entity without recorded links of a relation mostly has none at all. */
const noTails = 0.1;
/** More expected tails say no more of how far a member leads. */
const most = 0.3;

/** v_r(h) of a head with so many recorded tails. */
export const expectedOf = (tails: number): number => Math.min(most, growth * (tails || noTails));

/**
 * How much the link of each entity along a relation can be expected to add to a projection: `v_r(h) = min(0.3, 0.1 · max(n_hr, 0.1))`.
 *
 * Shapes: → [|E|]. Ranges: (0, 0.3], in single precision, so that runtimes agree which of them are equal.
 */
export function expectedTails(
  { index, rows, entityCount }: Pick<KnowledgeGraph, 'index' | 'rows' | 'entityCount'>,
  relation: number,
  arrays: Arrays = newArrays,
): Float32Array {
  const { relationStarts, relationEnds, relationHeads, groupStarts, groupEnds } = rows;
  const expected = arrays.take(entityCount).fill(expectedOf(0));
  for (let at = relationStarts[relation]!; at < relationEnds[relation]!; at += 1) {
    const group = groupAt({ index, rows }, at, relation);
    expected[relationHeads[at]!] = expectedOf(groupEnds[group]! - groupStarts[group]!);
  }
  return expected;
}
