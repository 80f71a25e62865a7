/** Work in pieces of less than a millisecond: anyone who does it may do something else between them. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Has work done, or throws where it may not be. */
export type Finish = <T>(steps: Steps<T>) => T;

/** Does all of it at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** How many names are looked at in a piece of work on all of them. */
export const namesOfStep = 512;

/** Work that is done once, however many wait for it: each of them does its next piece. What fails is begun anew. */
export function sharedSteps<T>(begin: () => Steps<T>): () => Steps<T> {
  let result: { readonly value: T } | undefined;
  let begun: Steps<T> | undefined;
  return function* () {
    while (result === undefined) {
      begun ??= begin();
      try {
        const { done, value } = begun.next();
        if (done === true) result = { value };
      } catch (error) {
        begun = undefined;
        throw error;
      }
      if (result === undefined) yield;
    }
    begun = undefined;
    return result.value;
  };
}

/** Sorts numbers in place, in pieces; equal ones stay in their order. */
export function* sortingSteps(
  values: Int32Array,
  compare: (a: number, b: number) => number,
): Steps<Int32Array> {
  const { length } = values;
  for (let from = 0; from < length; from += namesOfStep) {
    values.subarray(from, from + namesOfStep).sort(compare);
    yield;
  }
  let source = values;
  let target: Int32Array = new Int32Array(length);
  for (let width = namesOfStep; width < length; width *= 2) {
    for (let from = 0; from < length; from += 2 * width) {
      const middle = Math.min(from + width, length);
      const end = Math.min(from + 2 * width, length);
      let [left, right] = [from, middle];
      for (let at = from; at < end; at++) {
        if (at % namesOfStep === 0) yield;
        const takesLeft = right >= end || (left < middle && compare(source[left]!, source[right]!) <= 0);
        target[at] = source[takesLeft ? left++ : right++]!;
      }
    }
    [source, target] = [target, source];
  }
  if (source !== values) values.set(source);
  return values;
}
