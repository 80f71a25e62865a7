import type { RunStretch } from '../checkpoint/endings.ts';
import { latestStretch, stretchShare } from '../optimiser/schedule.ts';

/**
 * The last stretch, where it is to begin at this step: as long as half the steps before it, shorter where steps or time end sooner.
 *
 * Undefined while validation improves and there is time for more.
 */
export function stretchFrom(
  step: number,
  steps: number,
  isStalled: boolean,
  stepsLeft: number = Number.POSITIVE_INFINITY,
): RunStretch | undefined {
  const length = Math.max(1, Math.ceil(stretchShare * step));
  const isLate = stepsLeft <= length + 1;
  const why = isStalled
    ? 'stalled'
    : step >= latestStretch(steps)
      ? 'finished'
      : isLate
        ? 'minutes'
        : undefined;
  if (why === undefined) return undefined;
  // What the latest one leaves over by rounding belongs to it.
  const wished = why === 'finished' ? steps : Math.min(steps, step + length);
  const until = Math.min(wished, step + Math.max(1, Math.floor(stepsLeft)));
  return { from: step, until, why: until < wished ? 'minutes' : why };
}
