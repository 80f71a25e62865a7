import { confidenceOf, type KnowledgeGraph, type Random } from '../index.ts';
import type { LinkDegrees } from '../sets/index.ts';

/** Degrees of links that come from chance, and count how often they are asked for. */
export interface StandInLinks extends LinkDegrees {
  /** How many links each call of `rows` asked for. */
  readonly calls: number[];
  /** The degree of one link, as `rows` has it. */
  degree(head: number, relation: number, tail: number): number;
}

/**
 * Stands in for the evidence of links: a degree for each (h, r, e), its confidence where it is recorded.
 *
 * `draw` gives what is not recorded, in [0, 0.999].
 */
export function standInLinks(
  facts: KnowledgeGraph,
  random: Random,
  draw: (random: Random) => number = ({ uniform }) => uniform() ** 3,
): StandInLinks {
  const { entityCount, relationCount } = facts;
  const highest = Math.fround(0.999);
  const table = Float32Array.from({ length: entityCount * relationCount * entityCount }, () =>
    Math.min(highest, draw(random)),
  );
  for (let head = 0; head < entityCount; head += 1)
    for (let relation = 0; relation < relationCount; relation += 1)
      for (const tail of facts.tails(head, relation))
        table[(head * relationCount + relation) * entityCount + tail] = confidenceOf(
          facts.confidences,
          head,
          relation,
          tail,
        );
  const calls: number[] = [];
  return {
    calls,
    degree: (head, relation, tail) => table[(head * relationCount + relation) * entityCount + tail]!,
    async rows(heads, relations) {
      calls.push(heads.length);
      const rows = new Float32Array(heads.length * entityCount);
      heads.forEach((head, i) => {
        const at = (head * relationCount + relations[i]!) * entityCount;
        rows.set(table.subarray(at, at + entityCount), i * entityCount);
      });
      return rows;
    },
  };
}
