import { readClaim } from './claim.ts';
import type { Sweep } from './open-sweep.ts';
import type { ReportedTrial } from './prune.ts';
import type { SweepStore } from './store/sweep-store.ts';
import { trialEntries, trialKeys } from './trial-keys.ts';
import { readResult } from './trial-result.ts';

/** What trials have reported, for pruning. */
export interface Reports {
  /** Of all trials but one. */
  others(own: number): Promise<readonly ReportedTrial[]>;
}

/** Opens the reports of a sweep, once for a process: results never change and are read once; of trials that run, only where the rule asks. */
export function createReports(store: SweepStore, { file }: Pick<Sweep, 'file'>): Reports {
  const results = new Map<number, ReportedTrial>();
  return {
    async others(own) {
      if (file.pruning === undefined) return [];
      const running: ReportedTrial[] = [];
      for (const { trial, hasResult, claim } of trialEntries(await store.list(trialKeys.all)).values()) {
        if (trial === own || results.has(trial)) continue;
        if (hasResult) {
          const result = await readResult(store, trial);
          if (result !== undefined) results.set(trial, result);
        } else if (file.pruning.kind === 'halving' && claim > 0) {
          const found = await readClaim(store, trial, claim);
          if (found !== undefined) running.push({ values: found.values });
        }
      }
      return [...results.values(), ...running];
    },
  };
}
