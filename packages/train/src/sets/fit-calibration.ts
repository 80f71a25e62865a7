import { FuzzError } from '@fuzzqe/core';
import { type Calibration, defaultCalibration } from '@fuzzqe/core/sets';
import type { QueryScorer, SampledQueries } from '@fuzzqe/data';
import { evaluateRanking } from '../evaluation/evaluate-ranking.ts';

/** What a calibration is fitted on. */
export interface FitOptions {
  /** Validation queries of all structures: 50 of each are enough. Never the test's. */
  readonly queries: readonly SampledQueries<string>[];
  readonly entityCount: number;
  /** The scorer of a calibration. */
  readonly score: (calibration: Calibration) => QueryScorer;
  /** Where the search begins. */
  readonly start?: Calibration;
  /** Called after each calibration that was tried. */
  readonly onTry?: (tried: number, total: number, mrr: number) => void;
  readonly signal?: AbortSignal;
}

/** A calibration and what it reached on the queries it was fitted on. */
export interface FittedCalibration {
  readonly calibration: Calibration;
  /** The mean MRR over structures, with the start's for comparison. */
  readonly mrr: number;
  readonly startMrr: number;
}

/** What is tried of each number, one after the other; two rounds of it. */
const grid: Partial<Record<keyof Calibration, readonly number[]>> = {
  temperature: [5, 8, 12, 20, 30, 45, 70],
  weight: [0.01, 0.03, 0.1, 0.3, 1],
  exponent: [0.4, 0.7, 1],
  cap: [0.1, 0.2, 0.3, 0.5, 0.8],
  support: [0, 0.03, 0.1, 0.3],
  predictedMembers: [8, 16, 64],
};
const rounds = 2;

/**
 * Fits a calibration on validation queries: one number at a time over a grid, twice, by the mean MRR over structures.
 *
 * Links one by one would calibrate worse: those in conjunctions have many more tails than links on average, so whole
 * queries judge. The first of equally good values is kept, so the result is the same every time.
 *
 * @throws FuzzError `data`: no queries. `interrupted`: the signal was raised.
 */
export async function fitCalibration(options: FitOptions): Promise<FittedCalibration> {
  const { queries, entityCount, score, start = defaultCalibration, onTry, signal } = options;
  if (queries.every(({ count }) => count === 0))
    throw new FuzzError('data', 'calibration: expected validation queries, got none', {
      hint: 'Sample validation queries first; without any, the default calibration is used.',
    });
  const names = Object.keys(grid) as (keyof Calibration)[]; // the keys of a literal of that type
  const total = 1 + rounds * names.reduce((sum, name) => sum + grid[name]!.length, 0);
  let tried = 0;
  const judged = new Map<string, number>();
  const judge = async (calibration: Calibration): Promise<number> => {
    tried += 1;
    const key = names.map((name) => calibration[name]).join();
    const earlier = judged.get(key);
    if (earlier !== undefined) return earlier;
    const report = await evaluateRanking({
      queries,
      score: score(calibration),
      entityCount,
      ...(signal === undefined ? {} : { signal }),
    });
    const structures = Object.values(report.structures);
    const mrr = structures.reduce((sum, each) => sum + each.mrr, 0) / structures.length;
    judged.set(key, mrr);
    onTry?.(tried, total, mrr);
    return mrr;
  };

  let best = start;
  const startMrr = await judge(start);
  let bestMrr = startMrr;
  for (let round = 0; round < rounds; round += 1)
    for (const name of names)
      for (const value of grid[name]!) {
        const mrr = await judge({ ...best, [name]: value });
        if (mrr <= bestMrr) continue;
        best = { ...best, [name]: value };
        bestMrr = mrr;
      }
  return { calibration: best, mrr: bestMrr, startMrr };
}
