import { namesOfStep, type Steps, sortingSteps } from '../steps.ts';

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
export function* createDictionary(names: readonly string[]): Steps<Dictionary> {
  const places = Int32Array.from(names, (_, i) => i);
  const order = yield* sortingSteps(places, (a, b) =>
    names[a]! < names[b]! ? -1 : names[a] === names[b] ? 0 : 1,
  );
  const shared = new Int32Array(names.length);
  let longest = names[order[0] ?? 0]?.length ?? 0;
  for (let i = 1; i < order.length; i++) {
    if (i % namesOfStep === 0) yield;
    const [above, name] = [names[order[i - 1]!]!, names[order[i]!]!];
    let length = 0;
    while (length < name.length && above.charCodeAt(length) === name.charCodeAt(length)) length++;
    shared[i] = length;
    longest = Math.max(longest, name.length);
  }
  return { order, shared, longest };
}
