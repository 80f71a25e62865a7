import type { SweepStore } from './sweep-store.ts';

/**
 * Where a trial's claims, checkpoints and result stand in a store.
 *
 * Claims and results are next to each other, apart from the many files of runs, so that one listing says how it stands with all trials: two
 * keys of each.
 */
export const trialKeys = {
  all: 'trials/',
  result: (trial: number): string => `trials/${padded(trial)}-result.json`,
  claim: (trial: number, claim: number): string => `trials/${padded(trial)}-claim-${padded(claim)}.json`,
  /** What the claims and the result of one trial begin with. */
  of: (trial: number): string => `trials/${padded(trial)}-`,
  /** A file of the run; each claim writes under its own number, so that one that was taken over disturbs nobody. */
  run: (trial: number, claim: number, file: string): string =>
    `runs/${padded(trial)}/${padded(claim)}/${file}`,
  /** What the files of all runs of one trial begin with. */
  runs: (trial: number): string => `runs/${padded(trial)}/`,
};

/** Whether a key is that of a claim. */
export function isClaimKey(key: string): boolean {
  return /^trials\/\d{6}-claim-\d{6}\.json$/.test(key);
}

/** The claims and the result of one trial, as a store lists them. */
export interface TrialEntry {
  /** The highest number of a claim; 0 where there is none. */
  readonly claim: number;
  readonly hasResult: boolean;
}

/** Of a trial that nobody has claimed. */
export const untouched: TrialEntry = { claim: 0, hasResult: false };

/** What the keys of a store say of each trial, by its number. */
export function trialEntries(keys: readonly string[]): Map<number, TrialEntry> {
  const entries = new Map<number, TrialEntry>();
  for (const key of keys) {
    const [, digits, what, claimed = '0'] =
      /^trials\/(\d{6})-(result|claim)(?:-(\d{6}))?\.json$/.exec(key) ?? [];
    if (digits === undefined) continue;
    const { claim, hasResult } = entries.get(Number(digits)) ?? untouched;
    entries.set(Number(digits), {
      claim: Math.max(claim, Number(claimed)),
      hasResult: hasResult || what === 'result',
    });
  }
  return entries;
}

/** The claims of a trial that saved a checkpoint, the newest first. */
export async function savedRuns(store: SweepStore, trial: number): Promise<readonly number[]> {
  const keys = await store.list(trialKeys.runs(trial));
  const claims = keys.map((key) => Number(/^runs\/\d{6}\/(\d{6})\/state\.json$/.exec(key)?.[1] ?? 0));
  return claims.filter((claim) => claim > 0).sort((a, b) => b - a);
}

function padded(number: number): string {
  return String(number).padStart(6, '0');
}
