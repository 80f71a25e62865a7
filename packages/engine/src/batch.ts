import type { Plan } from './plan.ts';

/** One query's plan and how many entities it asks for. */
export interface RankRequest {
  readonly plan: Plan;
  readonly k: number;
}

/** Requests that one run answers. */
export interface Batch {
  readonly plans: readonly [Plan, ...Plan[]];
  /** The largest of the requests. */
  readonly k: number;
  /** Where each request stood. */
  readonly places: readonly number[];
}

/**
 * Gathers requests of one shape into runs of at most `size` rows.
 *
 * Only k of one magnitude go together: one query whose thousand recorded answers are to be left out would make
 * every other row rank a thousand entities too.
 */
export function gatherBatches(requests: readonly RankRequest[], size: number): Batch[] {
  const groups = new Map<string, number[]>();
  requests.forEach(({ plan, k }, place) => {
    const key = `${plan.shape} ${Math.ceil(Math.log2(k))}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [place]);
    else group.push(place);
  });
  const batches: Batch[] = [];
  for (const group of groups.values()) {
    for (let from = 0; from < group.length; from += size) {
      const places = group.slice(from, from + size);
      const [first, ...rest] = places.map((place) => requests[place]!.plan);
      batches.push({
        plans: [first!, ...rest],
        k: Math.max(...places.map((place) => requests[place]!.k)),
        places,
      });
    }
  }
  return batches;
}
