/** How often values fell between bounds. */
export interface Histogram {
  /** Ascending; a value counts at the first bound that is not below it. */
  readonly bounds: readonly number[];
  /** [bounds + 1], the last for what is above all of them. */
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}

/** What a queue has done since it was made, and what it does now. */
export interface RankerCounters {
  /** Rankers that can answer. */
  readonly workers: number;
  /** How often one that had ended was replaced. */
  readonly restarts: number;
  /** Requests that wait for their turn. */
  readonly waiting: number;
  /** How many may. */
  readonly waitingLimit: number;
  /** Requests that are being answered. */
  readonly running: number;
  readonly answered: number;
  /** Calls that were refused or given up, by the code of their error, and those that failed. */
  readonly refused: Readonly<Record<'overloaded' | 'deadline' | 'interrupted' | 'failed', number>>;
  /** Requests of one batch. */
  readonly batchSize: Histogram;
  /** Seconds from a request to the beginning of its batch. */
  readonly queueSeconds: Histogram;
  /** Seconds of one batch. */
  readonly computeSeconds: Histogram;
}

/** A histogram that is filled. */
export interface OpenHistogram extends Histogram {
  observe(value: number): void;
}

/** Seconds from 0.1 ms to 10 s. */
export const secondBounds: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** An empty histogram. */
export function createHistogram(bounds: readonly number[]): OpenHistogram {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let [count, sum] = [0, 0];
  return {
    bounds,
    counts,
    get count() {
      return count;
    },
    get sum() {
      return sum;
    },
    observe(value) {
      const at = bounds.findIndex((bound) => value <= bound);
      counts[at < 0 ? bounds.length : at]! += 1;
      count += 1;
      sum += value;
    },
  };
}
