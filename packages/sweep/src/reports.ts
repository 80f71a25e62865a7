import { readClaim } from './claim.ts';
import type { Sweep } from './open-sweep.ts';
import type { ReportedTrial } from './prune.ts';
import type { SweepStore } from './store/sweep-store.ts';
import { readResult } from './trial-result.ts';
import { createTrialView, type TrialView } from './trial-view.ts';

/** What trials have reported, for pruning. */
export interface Reports {
  /** Of all trials but one. */
  others(own: number): Promise<readonly ReportedTrial[]>;
}

/** How many results are asked for at once. */
const atOnce = 16;

/**
 * Opens the reports of a sweep, once for a process: results never change and are read once; of trials that run, only where the rule asks,
 * once a listing.
 */
export function createReports(
  store: SweepStore,
  { file }: Pick<Sweep, 'file'>,
  view: TrialView = createTrialView(store),
): Reports {
  const results = new Map<number, ReportedTrial>();
  const running = new Map<number, { readonly listing: number; readonly values: ReportedTrial['values'] }>();
  return {
    async others(own) {
      if (file.pruning === undefined) return [];
      const entries = await view.entries();
      const ended = [...entries].flatMap(([trial, { hasResult }]) =>
        hasResult && !results.has(trial) ? [trial] : [],
      );
      for (let from = 0; from < ended.length; from += atOnce)
        await Promise.all(
          ended.slice(from, from + atOnce).map(async (trial) => {
            const result = await readResult(store, trial);
            if (result !== undefined) results.set(trial, result);
          }),
        );
      if (file.pruning.kind === 'halving')
        for (const [trial, { claim, hasResult }] of entries) {
          if (hasResult || trial === own || running.get(trial)?.listing === view.listings) continue;
          const found = await readClaim(store, trial, claim);
          if (found !== undefined) running.set(trial, { listing: view.listings, values: found.values });
        }
      return [
        ...[...results].flatMap(([trial, result]) => (trial === own ? [] : [result])),
        ...[...running].flatMap(([trial, { values }]) =>
          trial === own || results.has(trial) ? [] : [{ values }],
        ),
      ];
    },
  };
}
