/** Where a trial's claims, checkpoints and result stand in a store. */
export const trialKeys = {
  all: 'trials/',
  of: (trial: number): string => `trials/${padded(trial)}/`,
  result: (trial: number): string => `trials/${padded(trial)}/result.json`,
  claim: (trial: number, claim: number): string => `trials/${padded(trial)}/claim-${padded(claim)}.json`,
  /** A file of the run; each claim writes under its own number, so that one that was taken over disturbs nobody. */
  run: (trial: number, claim: number, file: string): string =>
    `trials/${padded(trial)}/run-${padded(claim)}/${file}`,
};

/** The keys of one trial, as a store lists them. */
export interface TrialEntry {
  readonly trial: number;
  /** The highest number of a claim; 0 where there is none. */
  readonly claim: number;
  readonly hasResult: boolean;
  /** The claims that saved a checkpoint, the newest first. */
  readonly runs: readonly number[];
}

/** What the keys of a store say of each trial, by its number. */
export function trialEntries(keys: readonly string[]): ReadonlyMap<number, TrialEntry> {
  const entries = new Map<number, TrialEntry>();
  for (const key of keys) {
    const [, digits, rest = ''] = /^trials\/(\d{6})\/(.+)$/.exec(key) ?? [];
    if (digits === undefined) continue;
    const trial = Number(digits);
    const { claim, hasResult, runs } = entries.get(trial) ?? { claim: 0, hasResult: false, runs: [] };
    const claimed = Number(/^claim-(\d{6})\.json$/.exec(rest)?.[1] ?? 0);
    const saved = Number(/^run-(\d{6})\/state\.json$/.exec(rest)?.[1] ?? 0);
    entries.set(trial, {
      trial,
      claim: Math.max(claim, claimed),
      hasResult: hasResult || rest === 'result.json',
      runs: saved === 0 ? runs : [...runs, saved].sort((a, b) => b - a),
    });
  }
  return entries;
}

function padded(number: number): string {
  return String(number).padStart(6, '0');
}
