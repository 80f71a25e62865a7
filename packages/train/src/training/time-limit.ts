/** How long a run may take, and what has been seen of how long its parts take. */
export interface TimeLimit {
  /** How many steps there is time for before a last validation with its checkpoint must begin; no whole number, below 0 where it is late. */
  stepsLeft(): number;
  /** Seconds until the limit; 0 and more. */
  secondsLeft(): number;
  /** Whether a validation is due because none has been timed and a quarter of the time is gone. */
  isValidationDue(): boolean;
  /** After steps have been trained. */
  trained(steps: number): void;
  /** After a validation and its checkpoint that took so many milliseconds. */
  validated(milliseconds: number): void;
}

/** What is kept back for the end of a run in addition to its last validation, in milliseconds, and how much longer that may take than those before. */
const [ending, slower] = [1000, 1.5];

/**
 * A limit from now on.
 *
 * The time of a step is the mean of this session, with what was validated and saved meanwhile. Ranges: minutes > 0.
 */
export function createTimeLimit(minutes: number, now: () => number = () => performance.now()): TimeLimit {
  const start = now();
  const limit = 60_000 * minutes;
  let [steps, lasting] = [0, 0];
  let firstStep: number | undefined;
  return {
    stepsLeft() {
      const left = start + limit - now() - Math.min(ending, limit / 20) - slower * lasting;
      if (firstStep === undefined || steps === 0) return Number.POSITIVE_INFINITY;
      return left / (Math.max(1e-3, now() - firstStep) / steps);
    },
    secondsLeft: () => Math.max(0, start + limit - now()) / 1000,
    isValidationDue: () => lasting === 0 && firstStep !== undefined && now() - start >= limit / 4,
    trained(more) {
      // Opening a session takes as long as hundreds of steps and comes once: the first steps only start the clock.
      if (firstStep === undefined) firstStep = now();
      else steps += more;
    },
    validated(milliseconds) {
      lasting = Math.max(lasting, milliseconds, Number.MIN_VALUE);
    },
  };
}
