/** How the learning rate changes over a run. */
export interface ScheduleConfig {
  readonly kind: 'constant' | 'cosine';
  /** Steps over which the rate rises from 0 to its peak. ≥ 0. */
  readonly warmupSteps: number;
  /** The rate at the end of a cosine, as a share of the peak. In [0, 1]. */
  readonly finalShare: number;
}

/**
 * The learning rate of step `step` (counted from 0) of `steps`, as a share of the peak rate.
 *
 * Warm-up: `(step + 1) / warmupSteps`. Cosine: `f + (1 − f)(1 + cos(π·done)) / 2`.
 */
export function scheduleShare(config: ScheduleConfig, step: number, steps: number): number {
  if (step < config.warmupSteps) return (step + 1) / config.warmupSteps;
  if (config.kind === 'constant') return 1;
  const done = Math.min(1, (step - config.warmupSteps) / Math.max(1, steps - config.warmupSteps));
  return config.finalShare + (1 - config.finalShare) * 0.5 * (1 + Math.cos(Math.PI * done));
}
