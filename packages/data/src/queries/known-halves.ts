import type { KnowledgeGraph } from '@fuzzqe/core';

/** Which half-links of a missing fact (h, r, t) the known facts have: (h, r) of the head, (r, t) of the tail. */
export const knownHalves = ['both', 'head', 'tail', 'neither'] as const;
export type KnownHalf = (typeof knownHalves)[number];

/** The place in `knownHalves` of a fact: 1 if the known facts lack (r, t), and 2 more if they lack (h, r). */
export function lackedHalves(
  known: Pick<KnowledgeGraph, 'tails'>,
  head: number,
  relation: number,
  tail: number,
): number {
  return (
    (known.tails(tail, relation ^ 1).length > 0 ? 0 : 1) + (known.tails(head, relation).length > 0 ? 0 : 2)
  );
}

/** Sets of places as four bits: which places the facts of two derivations have together, [16 × 16]. */
const together = Uint8Array.from({ length: 256 }, (_, sets) => {
  let joint = 0;
  for (let one = 0; one < 4; one += 1)
    for (let other = 0; other < 4; other += 1)
      if ((sets >> (4 + one)) & (sets >> other) & 1) joint |= 1 << (one | other);
  return joint;
});

/** The set of the places that a place of one set and a place of another have together: facts that lack more halves lack all of these. */
export function joinPlaces(one: number, other: number): number {
  return together[(one << 4) | other]!;
}

/** The first place of a set: of several derivations the derivation whose facts lack fewest halves. */
export function firstPlace(places: number): number {
  return 31 - Math.clz32(places & -places);
}
