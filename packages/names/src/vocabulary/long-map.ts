/** A map of texts to values that holds more than the 2²⁴ entries of a `Map`. */
export interface LongMap<Value> {
  get(key: string): Value | undefined;
  /** Sets a key that has no value yet; gives the value of one that has, as it is. */
  add(key: string, value: Value): Value | undefined;
  /** Sets a key that has a value. */
  replace(key: string, value: Value): void;
}

/** Half of what V8 lets a Map hold: one that is full would copy itself for the next entry. */
const mostEach = 2 ** 23;

/** An empty map of one `Map` after the other, each of at most `most` entries. */
export function createLongMap<Value>(most: number = mostEach): LongMap<Value> {
  let last = new Map<string, Value>();
  const maps = [last];
  const get = (key: string): Value | undefined => {
    for (let i = 0; i < maps.length; i += 1) {
      const value = maps[i]!.get(key);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  return {
    get,
    add(key, value) {
      const known = get(key);
      if (known !== undefined) return known;
      if (last.size === most) {
        last = new Map();
        maps.push(last);
      }
      last.set(key, value);
      return undefined;
    },
    replace(key, value) {
      maps.find((map) => map.has(key))?.set(key, value);
    },
  };
}
