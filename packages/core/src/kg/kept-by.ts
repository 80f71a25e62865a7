/**
 * What follows from an object: made when it is first asked for, and kept as long as the object is.
 *
 * Not for what other objects than this one say: two graphs may have one index.
 */
export function keptBy<Key extends object, Derived extends object>(
  make: (key: Key) => Derived,
): (key: Key) => Derived {
  const kept = new WeakMap<Key, Derived>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const derived = make(key);
    kept.set(key, derived);
    return derived;
  };
}
