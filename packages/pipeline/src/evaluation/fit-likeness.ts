import type { KnowledgeGraph } from '@fuzzqe/core';
import { centred, cosinesWith } from '@fuzzqe/engine';
import { jointLikeness, similarEntities } from '@fuzzqe/evidence';

/** What the share of the model is fitted on. */
export interface LikenessTask {
  readonly train: KnowledgeGraph;
  /** Facts that are not in `train`, three ids each. */
  readonly held: Int32Array;
  /** p_e of every entity. */
  readonly vectors: readonly Float32Array[];
}

const shares = [0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1];

/** How many held facts are looked at, in both directions, and how many are too few to say anything. */
const mostLooked = 400;
const fewest = 50;

/** How many of the most similar entities count. */
const nearest = 10;

/** How many standard errors a gain has to be above facts alone: the best of eight shares is above by chance alone. */
const errors = 3;

/**
 * How much the vectors of a model count beside the facts in likeness; 0 if they do not help for sure.
 *
 * Of a held fact (h, r, t), nothing recorded leads from h along r to t. The figure of a share: of the ten entities that are most like h,
 * how many are other heads of t. The best share is given if its figure is three standard errors above the figure of facts alone.
 *
 * @example
 * const likeness = fitLikeness({ train, held: dataset.valid, vectors: await served.vectors() });
 */
export function fitLikeness({ train, held, vectors }: LikenessTask): number {
  const compared = centred(vectors);
  const found: number[][] = [];
  const count = (2 * held.length) / 3;
  const step = Math.max(1, count / mostLooked);
  for (let at = 0; at < count; at += step) {
    const [fact, isBackward] = [3 * Math.floor(Math.floor(at) / 2), Math.floor(at) % 2 === 1];
    const relation = held[fact + 1]! ^ (isBackward ? 1 : 0);
    const [head, tail] = isBackward ? [held[fact + 2]!, held[fact]!] : [held[fact]!, held[fact + 2]!];
    const others = new Set(train.tails(tail, relation ^ 1));
    others.delete(head);
    if (others.size === 0) continue;
    const byFacts = new Float64Array(train.entityCount);
    const { ids, degrees } = similarEntities(train, head);
    ids.forEach((id, i) => {
      byFacts[id] = degrees[i]!;
    });
    const cosines = cosinesWith(compared, head);
    found.push(
      shares.map((share) => {
        const best = highest(
          byFacts.map((degree, id) => jointLikeness(share, degree, cosines[id]!)),
          head,
        );
        return best.filter((id) => others.has(id)).length / Math.min(nearest, others.size);
      }),
    );
  }
  if (found.length < fewest) return 0;
  const means = shares.map((_, i) => mean(found.map((row) => row[i]!)));
  const best = means.indexOf(Math.max(...means));
  const gains = found.map((row) => row[best]! - row[0]!);
  const gain = mean(gains);
  const error = Math.sqrt(mean(gains.map((each) => (each - gain) ** 2)) / found.length);
  return gain > errors * error ? shares[best]! : 0;
}

const mean = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0) / numbers.length;

/** The entities of the highest degrees, without one; of equal degrees the lower ids. All shares have as many entities. */
function highest(degrees: Float64Array, without: number): number[] {
  const best: number[] = [];
  degrees.forEach((degree, id) => {
    if (id === without) return;
    if (best.length === nearest && degree <= degrees[best.at(-1)!]!) return;
    let place = best.length;
    while (place > 0 && degrees[best[place - 1]!]! < degree) place -= 1;
    best.splice(place, 0, id);
    if (best.length > nearest) best.pop();
  });
  return best;
}
