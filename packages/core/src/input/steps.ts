/** Work in pieces of less than a millisecond: whoever does it may do something else between them. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all of it at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** How many names are looked at in a piece of work on all of them. */
export const namesOfStep = 512;
