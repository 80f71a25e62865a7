/** A map of texts to values that holds more than the 2²⁴ entries of a `Map`. */
export interface LongMap<Value> {
  readonly size: number;
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** Half of what V8 lets a Map hold: one that is full would copy itself for the next entry. */
const mostEach = 2 ** 23;

/** An empty map of one `Map` after the other, each of at most `most` entries. */
export function createLongMap<Value>(most: number = mostEach): LongMap<Value> {
  let last = new Map<string, Value>();
  const maps = [last];
  return {
    get size() {
      return maps.reduce((sum, { size }) => sum + size, 0);
    },
    get(key) {
      for (const map of maps) {
        const value = map.get(key);
        if (value !== undefined) return value;
      }
      return undefined;
    },
    set(key, value) {
      const known = maps.find((map) => map.has(key));
      if (known !== undefined) {
        known.set(key, value);
        return;
      }
      if (last.size === most) {
        last = new Map();
        maps.push(last);
      }
      last.set(key, value);
    },
  };
}
