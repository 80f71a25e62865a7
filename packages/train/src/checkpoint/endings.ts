import type { LastStretch } from '../optimiser/schedule.ts';

/** Why a run ends: its steps are done, validation has not improved for `patience` steps, its minutes are used up. */
export const endings = ['finished', 'stalled', 'minutes'] as const;
export type Ending = (typeof endings)[number];

/** The last stretch of a run, and why it was begun. */
export interface RunStretch extends LastStretch {
  readonly why: Ending;
}
