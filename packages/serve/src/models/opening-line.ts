import { FuzzError } from '@fuzzqe/core';

/** Lets models be opened a few at a time. */
export interface OpeningLine {
  /**
   * Does some work in its turn: what a request waits for before what is opened in advance.
   *
   * @throws FuzzError `overloaded`: too many requests wait for models already.
   */
  take(isAsked: boolean, work: () => Promise<void>): Promise<void>;
}

/** A line for `atOnce` openings at a time. */
export function createOpeningLine(atOnce: number): OpeningLine {
  const asked: (() => Promise<void>)[] = [];
  const others: (() => Promise<void>)[] = [];
  let running = 0;
  /** Seconds of an opening, the last ones counting most. */
  let typical = 0.3;
  const next = async (): Promise<void> => {
    if (running >= atOnce) return;
    const work = asked.shift() ?? others.shift();
    if (work === undefined) return;
    running += 1;
    const begun = performance.now();
    try {
      await work();
    } finally {
      typical += ((performance.now() - begun) / 1000 - typical) / 8;
      running -= 1;
      void next();
    }
  };
  return {
    take(isAsked, work) {
      if (isAsked && asked.length >= mostWaiting)
        return Promise.reject(
          new FuzzError('overloaded', `${asked.length} models wait to be opened already`, {
            hint: 'Send the request again, later.',
            retryAfter: (typical * asked.length) / atOnce,
          }),
        );
      return new Promise((resolve, reject) => {
        (isAsked ? asked : others).push(() => work().then(resolve, reject));
        void next();
      });
    },
  };
}

/** The most models that requests wait for; one more is refused. */
const mostWaiting = 64;
