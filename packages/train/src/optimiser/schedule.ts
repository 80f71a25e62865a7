/** The ways in which the learning rate changes. */
export const scheduleNames = ['constant', 'cosine', 'plateau'] as const;
export type ScheduleName = (typeof scheduleNames)[number];

/** How the learning rate changes over a run. */
export interface ScheduleConfig {
  readonly kind: ScheduleName;
  /** Steps over which the rate rises from 0 to its peak. ≥ 0. */
  readonly warmupSteps: number;
  /** The rate at the end of a cosine, as a share of the peak. In [0, 1]. */
  readonly finalShare: number;
}

/** The last steps of a run with an open end, over which the rate falls. */
export interface LastStretch {
  /** Its first step, counted from 0. */
  readonly from: number;
  /** The first step after it: the run ends there. */
  readonly until: number;
}

/** How long the last stretch is, as a share of the steps before it. */
export const stretchShare = 0.5;

/** The latest step at which the last stretch of a run of at most `steps` begins. Ranges: steps ≥ 1. */
export function latestStretch(steps: number): number {
  return Math.max(1, Math.floor(steps / (1 + stretchShare)));
}

/**
 * The learning rate of step `step` (counted from 0) of `steps`, as a share of the peak rate.
 *
 * Warm-up: `(step + 1) / warmupSteps`. Cosine: `f + (1 − f)(1 + cos(π·done)) / 2`. Plateau: 1, and over the last stretch the
 * cosine.
 */
export function scheduleShare(
  config: ScheduleConfig,
  step: number,
  { steps, stretch }: { readonly steps: number; readonly stretch?: LastStretch | undefined },
): number {
  if (step < config.warmupSteps) return (step + 1) / config.warmupSteps;
  if (config.kind === 'constant') return 1;
  const falls = config.kind === 'cosine' ? { from: config.warmupSteps, until: steps } : stretch;
  if (falls === undefined || step < falls.from) return 1;
  const done = Math.min(1, (step - falls.from) / Math.max(1, falls.until - falls.from));
  return config.finalShare + (1 - config.finalShare) * 0.5 * (1 + Math.cos(Math.PI * done));
}
