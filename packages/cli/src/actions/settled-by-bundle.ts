import { FuzzError } from '@fuzzqe/core';
import type { ExportFlags } from './export.ts';

/** What a bundle has settled already, wherever it is to be used. */
export const settledByBundle: readonly ('data' | 'maxBytes' | 'facts' | 'queries' | 'seed' | 'threads')[] = [
  'data',
  'maxBytes',
  'facts',
  'queries',
  'seed',
  'threads',
];

/**
 * Refuses flags that say nothing where a bundle is what is exported; `isGiven` tells flags from defaults.
 *
 * @throws FuzzError `usage`: one of them was given.
 */
export function refuseSettled<F extends keyof ExportFlags>(
  flags: Pick<ExportFlags, F>,
  settled: readonly F[],
  isGiven: (flag: F) => boolean,
): void {
  for (const flag of settled)
    if (isGiven(flag))
      throw new FuzzError('usage', `expected none for a bundle, got ${flags[flag]}`, {
        path: flag,
        hint: 'A bundle has it settled; export the run to choose it.',
      });
}
