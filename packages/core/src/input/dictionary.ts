/** Names in dictionary order, so that what neighbours begin with is looked at once. */
export interface Dictionary {
  /** The places of the names, in that order. */
  readonly order: Int32Array;
  /** How many letters each has in common with the one before it in that order. */
  readonly shared: Int32Array;
  /** Letters of the longest. */
  readonly longest: number;
}

/** Sorts names; equal ones stay in their order. */
export function createDictionary(names: readonly string[]): Dictionary {
  const order = Int32Array.from(names, (_, i) => i);
  order.sort((a, b) => (names[a]! < names[b]! ? -1 : names[a] === names[b] ? a - b : 1));
  const shared = new Int32Array(names.length);
  for (let i = 1; i < order.length; i++) {
    const [above, name] = [names[order[i - 1]!]!, names[order[i]!]!];
    let length = 0;
    while (length < name.length && above.charCodeAt(length) === name.charCodeAt(length)) length++;
    shared[i] = length;
  }
  const longest = names.reduce((most, { length }) => Math.max(most, length), 0);
  return { order, shared, longest };
}
