/**
 * How many bits tell the parts apart into which facts are laid, so that a part's tables fit into a processor's caches.
 *
 * More than 2⁹ parts would be more places to write to at once than a processor keeps the addresses of.
 */
export function partBits(facts: number): number {
  return Math.min(9, bitsOf(Math.floor(facts / 2 ** 14)));
}

/** How many bits numbers below `bound` have. */
export function bitsOf(bound: number): number {
  return bound <= 1 ? 0 : 32 - Math.clz32(bound - 1);
}
