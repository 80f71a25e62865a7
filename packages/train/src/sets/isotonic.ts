/** A number and whether what it foretells came true. */
export interface Outcome {
  readonly value: number;
  readonly true: boolean;
}

/** Outcomes with neighbouring values: how many, the mean value, and the share that is true. */
export interface OutcomeGroup {
  readonly count: number;
  readonly value: number;
  readonly share: number;
}

/**
 * The rising step function that is closest to outcomes in squares, by pooling adjacent violators.
 *
 * Outcomes are first joined to groups of `least` or more, equal values in one group, so that no step rests on a few.
 * Shapes: → groups by ascending value with ascending shares; none for no outcomes.
 * Source: Ayer et al., "An empirical distribution function for sampling with incomplete information" (1955).
 */
export function isotonicGroups(outcomes: readonly Outcome[], least: number): OutcomeGroup[] {
  const pooled: { count: number; sum: number; trues: number }[] = [];
  const joinLast = (): void => {
    const last = pooled.pop()!;
    const before = pooled.at(-1)!;
    before.count += last.count;
    before.sum += last.sum;
    before.trues += last.trues;
  };
  const pool = (): void => {
    const share = (at: number): number => pooled.at(at)!.trues / pooled.at(at)!.count;
    while (pooled.length > 1 && share(-2) >= share(-1)) joinLast();
  };
  const sorted = outcomes.toSorted((a, b) => a.value - b.value);
  let group = { count: 0, sum: 0, trues: 0 };
  for (const [i, { value, true: isTrue }] of sorted.entries()) {
    group.count += 1;
    group.sum += value;
    group.trues += isTrue ? 1 : 0;
    if (group.count < least || sorted[i + 1]?.value === value) continue;
    pooled.push(group);
    group = { count: 0, sum: 0, trues: 0 };
    pool();
  }
  if (group.count > 0) {
    pooled.push(group);
    if (pooled.length > 1) joinLast();
    pool();
  }
  return pooled.map(({ count, sum, trues }) => ({ count, value: sum / count, share: trues / count }));
}
