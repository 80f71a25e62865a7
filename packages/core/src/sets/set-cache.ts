/** The fuzzy sets of parts of queries, kept from one call to the next. */
export interface SetCache {
  /** How many were there, and how many were not. */
  readonly hits: number;
  readonly misses: number;
  get(key: string): Float32Array | undefined;
  /** Keeps a copy of a set. */
  put(key: string, set: Float32Array): void;
}

/** Keeps the `size` sets that were used last. */
export function createSetCache(size: number): SetCache {
  // A map keeps the order in which its entries were added: the first has not been used for longest.
  const kept = new Map<string, Float32Array>();
  let [hits, misses] = [0, 0];
  return {
    get hits() {
      return hits;
    },
    get misses() {
      return misses;
    },
    get(key) {
      const set = kept.get(key);
      if (set === undefined) {
        misses += 1;
        return undefined;
      }
      hits += 1;
      kept.delete(key);
      kept.set(key, set);
      return set;
    },
    put(key, set) {
      kept.delete(key);
      // The set's memory may be used again, and a view would keep all that is behind it.
      kept.set(key, set.slice());
      if (kept.size > size) for (const oldest of kept.keys()) return void kept.delete(oldest);
    },
  };
}
