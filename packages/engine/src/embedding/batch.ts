import { structureNames } from '@fuzzqe/core/query';
import { appendSteps } from './operator-steps.ts';
import type { Plan, PlanKind } from './plan.ts';

/** Queries that one run embeds. */
export interface Batch {
  readonly kind: PlanKind;
  readonly plans: readonly [Plan, ...Plan[]];
  /** Where each query stood. */
  readonly places: readonly number[];
}

/**
 * Gathers plans into runs of at most `size` rows: those of one shape, and those that mix.
 *
 * Operators take as many queries as have 64 · `size` operators together: they cut their runs themselves, and the more
 * projections there are, the more share a relation.
 * Plans that mix are sorted by structure first. A run with a single structure is left to that structure's graph;
 * the program graph is never slower than two runs and 2.8 times faster than fourteen (14 505 × 400, one thread).
 */
export function gatherBatches(all: readonly Plan[], size: number): Batch[] {
  const groups = new Map<string, number[]>();
  all.forEach((plan, place) => {
    const key = plan.mixes ? 'mixed' : plan.shape;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [place]);
    else group.push(place);
  });
  const rankOf = (place: number): number => {
    const { structure, mixes } = all[place]!;
    return mixes ? structureNames.indexOf(structure!.name) : 0;
  };
  const batches: Batch[] = [];
  for (const unsorted of groups.values()) {
    const group = unsorted.toSorted((a, b) => rankOf(a) - rankOf(b));
    for (const places of cut(group, (place) => all[place]!, size)) {
      const [first, ...rest] = places.map((place) => all[place]!);
      batches.push({
        kind: rest.some((plan) => plan.shape !== first!.shape) ? 'program' : first!.kind,
        plans: [first!, ...rest],
        places,
      });
    }
  }
  return batches;
}

/** Cuts places, in their order, into parts that are not too much for one batch; none is empty. */
function cut(places: readonly number[], planOf: (place: number) => Plan, size: number): number[][] {
  const parts: number[][] = [];
  let room = 0;
  for (const place of places) {
    const plan = planOf(place);
    const composed = plan.kind === 'operators';
    const weight = composed ? appendSteps([], plan) + 1 : 1;
    if (weight > room) {
      parts.push([]);
      room = composed ? 64 * size : size;
    }
    parts.at(-1)!.push(place);
    room -= weight;
  }
  return parts;
}
