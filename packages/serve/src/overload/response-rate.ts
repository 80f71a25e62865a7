import { createRecentCount } from '@fuzzqe/engine';

/** Milliseconds in which what was counted is forgotten. */
const memory = 1000;

/** How fast requests are answered, for those that are told to come back. */
export interface ResponseRate {
  /** Notes an answer. */
  answered(): void;
  /** In how many seconds one more could be answered, behind so many and all that were told to come back in the last second. */
  secondsUntil(before: number): number;
}

/** Counts by a clock of milliseconds. */
export function createResponseRate(now: () => number = () => performance.now()): ResponseRate {
  const [answered, refused] = [createRecentCount(memory, now), createRecentCount(memory, now)];
  return {
    answered: () => void answered(1),
    secondsUntil: (before) =>
      Math.min(longest, (before + refused(1)) / Math.max(1, (answered(0) * 1000) / memory)),
  };
}

/** Seconds. */
const longest = 60;
