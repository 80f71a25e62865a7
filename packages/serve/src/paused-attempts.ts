import { FuzzError } from '@fuzzqe/core';

/** Until the second attempt, in milliseconds; it doubles with each. */
const firstPause = 1000;
const longestPause = 600_000;

/**
 * The same work, which is not tried again at once where it fails by what passes, such as a lack of memory: for 1 s, then 2 s, at last
 * 10 minutes every caller has the same error, since each attempt costs as much as one that succeeds.
 */
export function pausedAttempts<Given extends readonly unknown[], Done>(
  attempt: (...given: Given) => Promise<Done>,
): (...given: Given) => Promise<Done> {
  let [pause, notBefore] = [firstPause, 0];
  let failure: FuzzError | undefined;
  return async (...given) => {
    if (failure !== undefined && performance.now() < notBefore) throw failure;
    try {
      const done = await attempt(...given);
      [pause, failure] = [firstPause, undefined];
      return done;
    } catch (cause) {
      failure = cause instanceof FuzzError && cause.passing ? cause : undefined;
      if (failure !== undefined) {
        notBefore = performance.now() + pause;
        pause = Math.min(2 * pause, longestPause);
      }
      throw cause;
    }
  };
}
