import { FuzzError } from '@fuzzqe/core';
import type { Session } from './session.ts';

/** A session that can be done without. */
export interface OptionalSession {
  /** Whether it is open, or may be at a later call. */
  readonly isPossible: boolean;
  /** @throws what opening it threw, but for what the runtime refuses. */
  get(): Promise<Session | undefined>;
}

/** What is opened, and who hears of it. */
export interface OptionalSessionOptions {
  /** What it is, as the log names it: `the ranking without a mask`. */
  readonly name: string;
  readonly open: () => Promise<Session>;
  readonly log: ((line: string) => void) | undefined;
}

/** Until the second attempt, in milliseconds; it doubles with each. */
const firstPause = 1000;
const longestPause = 600_000;

/**
 * Opens a session when it is first asked for; undefined stands for one that the runtime refuses, which the log is told once.
 *
 * What lacks memory may have it later: it is tried again after a pause of 1 s, which doubles to 10 minutes, since each attempt costs
 * a whole opening. What else the runtime refuses it refuses for good.
 */
export function createOptionalSession({ name, open, log }: OptionalSessionOptions): OptionalSession {
  let isPossible = true;
  let [pause, notBefore] = [firstPause, 0];
  let attempt: Promise<Session | undefined> | undefined;
  const attempted = async (): Promise<Session | undefined> => {
    try {
      return await open();
    } catch (cause) {
      if (!(cause instanceof FuzzError) || cause.code !== 'runtime') throw cause;
      isPossible = cause.passing;
      if (!isPossible) log?.(`${name} is not used, the runtime refuses it: ${cause.message}`);
      else if (pause === firstPause)
        log?.(`${name} is not used for now, it is tried again later: ${cause.message}`);
      notBefore = performance.now() + pause;
      pause = Math.min(2 * pause, longestPause);
      return undefined;
    }
  };
  const begin = (): Promise<Session | undefined> => {
    const begun = attempted();
    const forget = (): void => {
      attempt = undefined;
    };
    begun.then((session) => session ?? forget(), forget);
    return begun;
  };
  return {
    get isPossible() {
      return isPossible;
    },
    get() {
      if (!isPossible || performance.now() < notBefore) return Promise.resolve(undefined);
      attempt ??= begin();
      return attempt;
    },
  };
}
