import type { Objective, Pruning } from './sweep-file.ts';
import type { TrialOutcome, TrialValue } from './trial-result.ts';

/** What another trial has reported. */
export interface ReportedTrial {
  readonly values: readonly TrialValue[];
  /** Absent while it runs. */
  readonly outcome?: TrialOutcome;
}

/**
 * Whether a trial should stop after its newest validation.
 *
 * `median`: its best so far is worse than the median of what trials that ended by themselves had at this step, once there are
 * `startup` of them. `halving`: at its newest rung, at first · factorᵏ steps, it is not among the best ⌊n / factor⌋ (at least one) of the
 * n trials that have been there, itself included; later ones do not change what was decided.
 *
 * Source: the rules of Optuna's MedianPruner; Li et al., "A System for Massively Parallel Hyperparameter Tuning" (2020), asynchronous
 * successive halving.
 */
export function isPruned(
  pruning: Pruning | undefined,
  { direction }: Pick<Objective, 'direction'>,
  own: readonly TrialValue[],
  others: readonly ReportedTrial[],
): boolean {
  const newest = own.at(-1);
  if (pruning === undefined || newest === undefined) return false;
  const sign = direction === 'maximize' ? 1 : -1;
  if (pruning.kind === 'median') {
    if (newest.step < pruning.warmupSteps) return false;
    const ended = others.filter(({ outcome }) => outcome !== undefined && !stopped.has(outcome));
    if (ended.length < pruning.startup) return false;
    const there = ended.flatMap(({ values }) => values.find(({ step }) => step === newest.step)?.value ?? []);
    if (there.length === 0) return false;
    return Math.max(...own.map(({ value }) => sign * value)) < median(there.map((value) => sign * value));
  }
  const before = own.at(-2)?.step ?? 0;
  const rung = newestRung(pruning, newest.step);
  // It was judged there at an earlier validation.
  if (rung === undefined || before >= rung) return false;
  const rivals = others.flatMap(({ values }) => values.find(({ step }) => step >= rung)?.value ?? []);
  const better = rivals.filter((value) => sign * value > sign * newest.value).length;
  return better >= Math.max(1, Math.floor((rivals.length + 1) / pruning.factor));
}

/** Ended, but not by themselves. */
const stopped: ReadonlySet<TrialOutcome> = new Set(['pruned', 'failed']);

/** The highest rung at or below a step. */
function newestRung(
  { first, factor }: { readonly first: number; readonly factor: number },
  step: number,
): number | undefined {
  if (step < first) return undefined;
  let rung = first;
  while (rung * factor <= step) rung *= factor;
  return rung;
}

/** The mean of the two in the middle where their number is even. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
