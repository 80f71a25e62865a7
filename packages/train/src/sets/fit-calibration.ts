import { expectOptions, FuzzError } from '@fuzzqe/core';
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
  /** Where the search may begin: where the mean MRR is highest. The first is what the result is compared with. */
  readonly starts?: readonly [Calibration, ...Calibration[]];
  /** By how much the mean MRR has to grow for a step to be taken. Default 0.0005. */
  readonly leastGain?: number;
  /** Called while queries are ranked, with those of all calibrations so far, an estimate of all, and the best mean MRR. */
  readonly onProgress?: (ranked: number, total: number, best: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * The default, and two for links whose logits are steeper, as those by blocks are, the more so the longer they were trained: a climb from
 * one does not find the others.
 */
const usualStarts = [
  defaultCalibration,
  { ...defaultCalibration, temperature: 8, exponent: 0.7, support: 0.3 },
  { ...defaultCalibration, temperature: 1, weight: 0.3, exponent: 0.7, support: 0.3 },
] as const;

/** A calibration and what it reached on the queries it was fitted on. */
export interface FittedCalibration {
  readonly calibration: Calibration;
  /** The mean MRR over structures, with the first start's for comparison. */
  readonly mrr: number;
  readonly startMrr: number;
}

/** The values of each number, in the order in which numbers are fitted. */
const grid: Readonly<Record<keyof Calibration, readonly number[]>> = {
  temperature: [0.5, 0.7, 1, 1.4, 2, 3, 5, 8, 12, 20, 30, 45, 70],
  weight: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1],
  exponent: [0.4, 0.7, 1, 1.3],
  exclusivity: [0, 0.25, 0.5, 1],
  neighbourWeight: [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3],
  cap: [0.1, 0.2, 0.3, 0.5, 0.8],
  support: [0, 0.03, 0.1, 0.3, 0.6, 1],
  negationLambda: [0, 3, 10, 30],
  predictedMembers: [4, 8, 16, 32],
  certainMembers: [8, 16, 32, 64, 128],
};
/** The temperatures that a fit tries. */
export const calibrationTemperatures: readonly number[] = grid.temperature;
const rounds = 2;
/** Of each number a step down and a step up in both rounds, beside the starts. */
const usualTries = usualStarts.length + rounds * 2 * Object.keys(grid).length;
/** What a step has to gain: a hundred queries rank by chance so much better, and more members cost time. */
const usualGain = 0.0005;

/**
 * Fits a calibration on validation queries: one number at a time climbs its grid while the mean MRR over structures grows.
 *
 * Links one by one would calibrate worse: those in conjunctions have many more tails than links on average, so whole
 * queries judge. Two rounds at most; the result is the same every time.
 *
 * @throws FuzzError `data`: no queries. `interrupted`: the signal was raised.
 */
export async function fitCalibration(options: FitOptions): Promise<FittedCalibration> {
  expectOptions('fitCalibration', options, ['queries', 'score', 'entityCount']);
  const { queries, entityCount, score, starts = usualStarts, onProgress, signal } = options;
  const { leastGain = usualGain } = options;
  const count = queries.reduce((sum, part) => sum + part.count, 0);
  if (count === 0)
    throw new FuzzError('data', 'calibration: expected validation queries, got none', {
      hint: 'Sample validation queries first; without any, the default calibration is used.',
    });
  const judged = new Map<string, number>();
  let best: Calibration = starts[0];
  let bestMrr = 0;
  const judge = async (calibration: Calibration): Promise<number> => {
    const key = Object.values(calibration).join();
    const earlier = judged.get(key);
    if (earlier !== undefined) return earlier;
    const report = await evaluateRanking({
      queries,
      score: score(calibration),
      entityCount,
      // A signal is looked at between batches, so they have to be short.
      batchSize: 64,
      onProgress: (done) =>
        onProgress?.(judged.size * count + done, Math.max(usualTries, judged.size + 1) * count, bestMrr),
      ...(signal === undefined ? {} : { signal }),
    });
    const structures = [...Object.values(report.structures), ...Object.values(report.own ?? {})];
    const mrr = structures.reduce((sum, each) => sum + each.mrr, 0) / structures.length;
    judged.set(key, mrr);
    return mrr;
  };
  const startMrr = await judge(best);
  bestMrr = startMrr;
  for (const start of starts.slice(1)) {
    const mrr = await judge(start);
    if (mrr > bestMrr) [best, bestMrr] = [start, mrr];
  }
  const climb = async (name: keyof Calibration, direction: 1 | -1): Promise<boolean> => {
    const before = best;
    for (;;) {
      const value = next(grid[name], best[name], direction);
      if (value === undefined) break;
      const mrr = await judge({ ...best, [name]: value });
      if (mrr < bestMrr + leastGain) break;
      best = { ...best, [name]: value };
      bestMrr = mrr;
    }
    return best !== before;
  };

  for (let round = 0; round < rounds; round += 1) {
    const before = best;
    // as: the keys of a literal of that type.
    for (const name of Object.keys(grid) as (keyof Calibration)[]) {
      if (!(await climb(name, -1))) await climb(name, 1);
    }
    if (best === before) break;
  }
  return { calibration: best, mrr: bestMrr, startMrr };
}

/** The value of an ascending grid beside another number. */
function next(values: readonly number[], from: number, direction: 1 | -1): number | undefined {
  return direction === 1 ? values.find((value) => value > from) : values.findLast((value) => value < from);
}
