import type { AdjacencyIndex } from './adjacency.ts';

/**
 * What follows from the index of a graph: made when it is first asked for, and kept as long as the index is.
 *
 * Not for what other objects than the index say: two graphs may have one index.
 */
export function keptByIndex<Derived extends object>(
  make: (index: AdjacencyIndex) => Derived,
): (index: AdjacencyIndex) => Derived {
  const kept = new WeakMap<AdjacencyIndex, Derived>();
  return (index) => {
    const known = kept.get(index);
    if (known !== undefined) return known;
    const derived = make(index);
    kept.set(index, derived);
    return derived;
  };
}
