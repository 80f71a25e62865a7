import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { linkProbability } from '@fuzzqe/core/sets';
import { describe, expect, it } from 'vitest';
import {
  fitLinkProbability,
  logLossOf,
  precisionFrom,
  precisionThreshold,
  reliabilityOf,
} from './fit-probability.ts';
import { isotonicGroups } from './isotonic.ts';
import { candidateTemperature, type LinkCandidate, linkCandidates } from './link-candidates.ts';
import type { SetsScorer } from './sets-scorer.ts';

describe('isotonic groups', () => {
  const outcome = (value: number, isTrue: boolean) => ({ value, true: isTrue });

  it('rise, and pool what does not', () => {
    const values = [
      outcome(1, false),
      outcome(2, true),
      outcome(3, false),
      outcome(4, true),
      outcome(5, true),
    ];
    expect(isotonicGroups(values.toReversed(), 1)).toEqual([
      { count: 1, value: 1, share: 0 },
      { count: 2, value: 2.5, share: 0.5 },
      { count: 2, value: 4.5, share: 1 },
    ]);
  });

  it('are the closest rising steps: no others with the same edges have smaller squares', () => {
    const random = createRandom('isotonic');
    const values = Array.from({ length: 200 }, (_, i) => outcome(i, random.uniform() < (i / 200) ** 2));
    const groups = isotonicGroups(values, 1);
    const shares = groups.flatMap(({ count, share }) => new Array<number>(count).fill(share));
    const squares = (of: readonly number[]): number =>
      of.reduce((sum, share, i) => sum + (share - (values[i]!.true ? 1 : 0)) ** 2, 0);
    for (let i = 1; i < shares.length; i += 1) expect(shares[i]).toBeGreaterThanOrEqual(shares[i - 1]!);
    for (let trial = 0; trial < 200; trial += 1) {
      const moved = shares.map((share) => share + 0.05 * random.normal()).sort((a, b) => a - b);
      expect(squares(moved)).toBeGreaterThan(squares(shares));
    }
  });

  it('hold as many as they have to, and equal values together', () => {
    const values = [1, 1, 1, 1, 2, 3, 4].map((value, i) => outcome(value, i > 3));
    const groups = isotonicGroups(values, 2);
    expect(groups.map(({ count }) => count)).toEqual([4, 3]);
    expect(isotonicGroups([], 5)).toEqual([]);
  });

  it('have none that is smaller at the end, and rise after that', () => {
    const groupsOf = (trues: readonly boolean[], least: number) =>
      isotonicGroups(
        trues.map((isTrue, i) => outcome(i, isTrue)),
        least,
      ).map(({ count, share }) => [count, share]);
    expect(groupsOf([false, false, false, true, true], 2)).toEqual([
      [2, 0],
      [3, 2 / 3],
    ]);
    // The last two would be true less often with those before than the first three are.
    expect(groupsOf([false, true, true, true, true, true, false, false], 3)).toEqual([[8, 5 / 8]]);
    expect(groupsOf([true, false], 3)).toEqual([[2, 0.5]]);
  });
});

/** Candidates of two relations whose facts come true with the probability σ(60 cos − z). */
function drawnCandidates(count: number, seed: string, off = 0): LinkCandidate[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const relation = i % 2;
    const cosine = 0.5 + 0.5 * random.uniform();
    const probability = 1 / (1 + Math.exp(-(8 * cosine - 7 + relation + off)));
    return {
      relation,
      tails: 1,
      exclusivity: 1,
      place: i % 50,
      cosine,
      neighbourShare: 0,
      isFact: random.uniform() < probability,
    };
  });
}

describe('the probability of links', () => {
  const partitions = async (temperature: number): Promise<Float32Array> =>
    Float32Array.of(temperature * 0.875, temperature * 0.75);
  const sample = (candidates: readonly LinkCandidate[]) => ({ links: 10, best: 50, candidates });

  it('is what was found, on candidates that it was not fitted on', async () => {
    const fitted = (await fitLinkProbability(sample(drawnCandidates(20_000, 'fit')), partitions))!;
    const other = reliabilityOf(fitted, sample(drawnCandidates(20_000, 'test')));
    expect(other.ece).toBeLessThan(0.02);
    expect(other.candidates).toBe(20_000);
    expect(other.bins.reduce((sum, { count }) => sum + count, 0)).toBe(20_000);
    // Where facts are likelier than they were, it is off.
    expect(reliabilityOf(fitted, sample(drawnCandidates(20_000, 'test', 1))).ece).toBeGreaterThan(0.05);
    const [low, high] = [fitted.knots[0]!, fitted.knots.at(-1)!];
    expect(linkProbability(fitted, low.logShare - 5)).toBe(low.probability);
    expect(linkProbability(fitted, high.logShare + 5)).toBe(high.probability);
    const middle = (fitted.knots[1]!.logShare + fitted.knots[2]!.logShare) / 2;
    expect(linkProbability(fitted, middle)).toBeCloseTo(
      (fitted.knots[1]!.probability + fitted.knots[2]!.probability) / 2,
      9,
    );
  });

  it('is certain of nothing, rises, and loses less than one number for all', async () => {
    const { candidates } = sample(drawnCandidates(4000, 'certain'));
    // What lies apart: none of the lowest are facts, and all of the highest.
    const apart = candidates.map((each) => ({
      ...each,
      isFact: each.cosine > (each.relation === 0 ? 0.9 : 0.8),
    }));
    const fitted = (await fitLinkProbability(sample(apart), partitions))!;
    const told = fitted.knots.map(({ probability }) => probability);
    expect(told.toSorted((a, b) => a - b)).toEqual(told);
    expect(told[0]).toBeGreaterThan(0);
    expect(told[0]).toBeLessThan(0.01);
    expect(told.at(-1)).toBeLessThan(1);
    expect(told.at(-1)).toBeGreaterThan(0.99);
    const { stated, one } = logLossOf(fitted, sample(apart));
    expect(stated).toBeLessThan(one / 4);
    // One number told of all has the smallest error and tells nothing.
    const share = apart.filter(({ isFact }) => isFact).length / apart.length;
    const constant = { ...fitted, knots: [{ logShare: 0, probability: share }] };
    expect(reliabilityOf(constant, sample(apart)).ece).toBeLessThan(1e-9);
    expect(logLossOf(constant, sample(apart)).stated).toBeCloseTo(one, 9);
    // All alike: none is a fact.
    const none = apart.map((each) => ({ ...each, isFact: false }));
    const { knots } = (await fitLinkProbability(sample(none), partitions))!;
    expect(knots.map(({ probability }) => probability)).toEqual([expect.closeTo(1 / 4002, 9)]);
  });

  it('is fitted at the temperature that tells facts best from others', async () => {
    const random = createRandom('temperature');
    // Of the second relation cosines count as if they were lower: by how much of them depends on the temperature, which is 5.
    const candidates = drawnCandidates(400, 'places').map((candidate): LinkCandidate => {
      const cosine = random.uniform();
      return { ...candidate, cosine, isFact: 5 * cosine - 2 * candidate.relation > 1.5 };
    });
    const fitted = await fitLinkProbability(sample(candidates), async () => Float32Array.of(0, 2));
    expect(fitted!.temperature).toBe(5);
    // No other orders them as well: at this one facts are above all others.
    expect(fitted!.knots.filter(({ probability }) => probability > 0.05 && probability < 0.95)).toHaveLength(
      1,
    );
  });

  it('says apart by how much it is off for the ten best candidates of each link', () => {
    const half = { temperature: 1, partitions: [0, 0], knots: [{ logShare: 0, probability: 0.5 }] };
    // Of 20 candidates of a link the first eight are facts.
    const candidates = drawnCandidates(40, 'ten').map((candidate, i): LinkCandidate => {
      const place = i % 20;
      return { ...candidate, place, isFact: place < 8 };
    });
    const { ece, eceOfTen } = reliabilityOf(half, sample(candidates));
    expect(eceOfTen).toBeCloseTo(0.8 - 0.5, 12);
    expect(ece).toBeCloseTo(0.5 - 0.4, 12);
  });

  it('is nothing without candidates', async () => {
    expect(await fitLinkProbability(sample([]), partitions)).toBeUndefined();
  });

  it('has a threshold for a precision that it can reach', () => {
    const candidates = drawnCandidates(5000, 'threshold');
    const cosines = candidates.map(({ cosine }) => cosine);
    const found = precisionThreshold(cosines, candidates, 0.6)!;
    const above = candidates.filter(({ cosine }) => cosine >= found.from);
    expect(above.filter(({ isFact }) => isFact).length / above.length).toBe(found.precision);
    expect(found.precision).toBeGreaterThanOrEqual(0.6);
    expect(precisionFrom(found.from, cosines, candidates)).toEqual(found);
    expect(precisionThreshold(cosines, candidates, 0.999)).toBeUndefined();
  });

  it('has no threshold above which there are fewer than 20 candidates', () => {
    /** So many facts with the highest values, and ten that are none. */
    const from = (facts: number): number | undefined => {
      const candidates = drawnCandidates(facts + 10, 'few').map((each, i) => ({
        ...each,
        isFact: i < facts,
      }));
      const values = candidates.map((_, i) => 100 - i);
      return precisionThreshold(values, candidates, 0.96)?.from;
    };
    expect(from(20)).toBe(81);
    expect(from(19)).toBeUndefined();
  });
});

describe('candidates of links', () => {
  it('are the best unrecorded entities of links with a held-out fact, in both directions', async () => {
    const recorded = createKnowledgeGraph({
      entityCount: 6,
      relationCount: 2,
      triples: Int32Array.of(0, 0, 1, 0, 0, 2),
    });
    // The share of entity e is higher for higher ids.
    const sets: SetsScorer = {
      score: () => async (_structure, _anchors, _relations, rows) =>
        Float32Array.from({ length: 6 * rows }, (_, i) => 0.1 * (1 + (i % 6))),
      partitions: async () => Float32Array.of(2, 3),
      close: async () => {},
    };
    const found = await linkCandidates({
      ...{ sets, recorded, heldOut: Int32Array.of(0, 0, 4, 0, 0, 1), links: 10, best: 3 },
      random: createRandom('candidates'),
    });
    expect(found.links).toBe(2);
    const forwards = found.candidates.filter(({ relation }) => relation === 0);
    expect(forwards.map(({ place, tails, isFact }) => [place, tails, isFact])).toEqual([
      [0, 2, false],
      [1, 2, true],
      [2, 2, false],
    ]);
    expect(forwards[0]!.cosine).toBeCloseTo((Math.log(0.6) + 2) / candidateTemperature, 6);
    const backwards = found.candidates.filter(({ relation }) => relation === 1);
    expect(backwards.map(({ isFact }) => isFact)).toEqual([false, false, false]);
    const told = await linkCandidates({
      ...{ sets, recorded, heldOut: Int32Array.of(0, 0, 4, 0, 0, 1), links: 10, best: 3 },
      // What is known beside the facts is neither a candidate nor held out.
      known: Int32Array.of(0, 0, 4),
      random: createRandom('candidates'),
    });
    expect(told.candidates.filter(({ isFact }) => isFact)).toEqual([]);
    expect(told.candidates.filter(({ relation }) => relation === 0)).toHaveLength(0);
  });
});
