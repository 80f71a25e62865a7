/** Where arrays of degrees come from. */
export interface Arrays {
  /** As many zeros, the caller's own until they are given back. */
  take(length: number): Float32Array;
  /** Nobody reads or writes these numbers any more; arrays from elsewhere are let go. */
  giveBack(array: Float32Array): void;
}

/** Arrays that are new each time and left to be collected. */
export const newArrays: Arrays = { take: (length) => new Float32Array(length), giveBack: () => {} };

/** Arrays that serve one call after the other. */
export interface ArrayPool {
  /** Runs a call, with arrays that all go back when it is done: what it gives must hold none of them. */
  during<T>(call: (arrays: Arrays) => Promise<T>): Promise<T>;
}

/**
 * Keeps at most `most` numbers of arrays that nobody has.
 *
 * A query in mode `sets` makes megabytes of arrays. V8 collects those of a thread when some 64 MB have come together, whatever it is told.
 */
export function createArrayPool(most: number): ArrayPool {
  const free = new Map<number, Float32Array[]>();
  let numbers = 0;
  const keep = (array: Float32Array): void => {
    if (numbers + array.length > most) return;
    const alike = free.get(array.length);
    if (alike === undefined) free.set(array.length, [array]);
    else alike.push(array);
    numbers += array.length;
  };
  return {
    async during(call) {
      const taken = new Set<Float32Array>();
      const arrays: Arrays = {
        take(length) {
          const used = free.get(length)?.pop();
          if (used !== undefined) numbers -= length;
          const array = used?.fill(0) ?? new Float32Array(length);
          taken.add(array);
          return array;
        },
        giveBack(array) {
          if (taken.delete(array)) keep(array);
        },
      };
      try {
        return await call(arrays);
      } finally {
        for (const array of taken) keep(array);
        taken.clear();
      }
    },
  };
}
