/** Hands out names that are not taken: `add`, `add_2`, `add_3`. */
export interface Names {
  /** Takes a name for somebody. Returns false where it is taken already. */
  reserve(name: string): boolean;
  /** A free name that begins with `base`, and is taken now. */
  fresh(base: string): string;
}

/** Names of one graph, none of them taken yet. */
export function createNames(): Names {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return {
    reserve(name) {
      if (taken.has(name)) return false;
      taken.add(name);
      return true;
    },
    fresh(base) {
      for (;;) {
        const count = (counts.get(base) ?? 0) + 1;
        counts.set(base, count);
        const name = count === 1 ? base : `${base}_${count}`;
        if (!taken.has(name)) {
          taken.add(name);
          return name;
        }
      }
    },
  };
}
