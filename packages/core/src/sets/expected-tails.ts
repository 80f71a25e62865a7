import { type Arrays, newArrays } from './arrays.ts';
import type { Calibration } from './calibration.ts';
import type { LinkCounts } from './link-counts.ts';

/** The number of tails that stands for none: an entity without recorded links of a relation mostly has none at all. */
const noTails = 0.1;

/**
 * How much the link of each entity along a relation can be expected to add to a projection: the tails that (9) expects
 * beyond the recorded ones, as far as a degree can show them.
 *
 * `v_r(h) = min(cap, w · max(n_hr, 0.1)^a)`.
 * Shapes: → [|E|]. Ranges: (0, cap], in single precision, so that runtimes agree which of them are equal.
 */
export function expectedTails(
  { weight, exponent, cap }: Pick<Calibration, 'weight' | 'exponent' | 'cap'>,
  { index }: Pick<LinkCounts, 'index'>,
  relation: number,
  entityCount: number,
  arrays: Arrays = newArrays,
): Float32Array {
  const { relationOffsets, relationHeads, relationGroups, groupOffsets } = index;
  const of = (tails: number): number => Math.min(cap, weight * tails ** exponent);
  const expected = arrays.take(entityCount).fill(of(noTails));
  for (let at = relationOffsets[relation]!; at < relationOffsets[relation + 1]!; at += 1) {
    const group = relationGroups[at]!;
    expected[relationHeads[at]!] = of(groupOffsets[group + 1]! - groupOffsets[group]!);
  }
  return expected;
}
