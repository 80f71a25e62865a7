/** Mean and sample standard deviation of some runs' figures; no deviation where there is one run. */
export interface Spread {
  readonly mean: number;
  readonly deviation: number | null;
}

/** Deviation with n − 1, since the seeds are a sample of all that could have been drawn. */
export function spread(values: readonly number[]): Spread {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: values.length < 2 ? null : Math.sqrt(squares / (values.length - 1)) };
}
