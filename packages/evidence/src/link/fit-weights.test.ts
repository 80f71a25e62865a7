import { createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { featureCount } from './features.ts';
import { fitWeights, type Outcomes } from './fit-weights.ts';

const sigmoid = (z: number): number => 1 / (1 + Math.exp(-z));

interface Drawn extends Outcomes {
  /** The probability that the fact is hidden, known or not. */
  readonly truth: Float64Array;
}

/** Candidates whose facts are hidden with `σ(w_r · x)`, of which a share is known. */
function draw(
  seed: string,
  count: number,
  of: (relation: number) => readonly number[],
  knownShare = 1,
): Drawn {
  const random = createRandom('fitted weights', seed);
  const features = Float64Array.from({ length: count * featureCount }, (_, at) =>
    at % featureCount === 0 ? 1 : random.normal(),
  );
  const relations = Int32Array.from({ length: count }, () => 3 * random.below(4));
  const truth = Float64Array.from(relations, (relation, i) =>
    sigmoid(of(relation).reduce((sum, w, k) => sum + w * features[i * featureCount + k]!, 0)),
  );
  const found = Uint8Array.from(truth, (p) =>
    random.uniform() < p && random.uniform() < knownShare ? 1 : 0,
  );
  return { features, relations, found, weights: new Float64Array(count).fill(1), knownShare, truth };
}

const common = [-1, 0.5, 1, -0.5, 0, 0.3, -0.8, 0.2, 1, -1, 0.4, 0];

/** The mean of the probability that weights state, of the true one, and of their distance. */
function compare({ features, relations, truth }: Drawn, weights: ReadonlyMap<number, Float64Array>) {
  let [stated, expected, apart] = [0, 0, 0];
  truth.forEach((p, i) => {
    const w = weights.get(relations[i]!)!;
    const z = w.reduce((sum, weight, k) => sum + weight * features[i * featureCount + k]!, 0);
    stated += sigmoid(z) / truth.length;
    expected += p / truth.length;
    apart += Math.abs(sigmoid(z) - p) / truth.length;
  });
  return { stated, expected, apart };
}

describe('fitted weights', () => {
  it('are those by which the outcomes were drawn', () => {
    const { common: fitted, relations } = fitWeights(draw('all alike', 20_000, () => common));
    common.forEach((weight, i) => {
      expect(Math.abs(fitted[i]! - weight)).toBeLessThan(0.1);
    });
    expect([...relations.keys()]).toEqual([0, 3, 6, 9]);
    for (const own of relations.values())
      own.forEach((weight, i) => {
        expect(Math.abs(weight - common[i]!)).toBeLessThan(0.25);
      });
  });

  it('are own ones of relations that differ, and near the common ones of relations with few candidates', () => {
    const of = (relation: number): readonly number[] =>
      relation === 3 ? common.map((weight, i) => (i === 2 ? -1 : weight)) : common;
    const fitted = fitWeights(draw('differ', 20_000, of)).relations;
    expect(Math.abs(fitted.get(3)![2]! + 1)).toBeLessThan(0.2);
    expect(Math.abs(fitted.get(6)![2]! - 1)).toBeLessThan(0.2);
    const few = draw('differ', 20_000, of);
    // Relation 9 has 5 candidates, which were all found.
    let left = 5;
    const kept = [...few.relations.keys()].filter((i) => few.relations[i] !== 9 || left-- > 0);
    const some: Outcomes = {
      features: Float64Array.from(
        kept.flatMap((i) => [...few.features.subarray(i * featureCount, (i + 1) * featureCount)]),
      ),
      relations: Int32Array.from(kept, (i) => few.relations[i]!),
      found: Uint8Array.from(kept, (i) => (few.relations[i] === 9 ? 1 : few.found[i]!)),
      weights: new Float64Array(kept.length).fill(1),
      knownShare: 1,
    };
    const distance = (shrinkage: number): number => {
      const { common: shared, relations } = fitWeights(some, { relations: shrinkage, common: 0.02 });
      return Math.hypot(...relations.get(9)!.map((weight, i) => weight - shared[i]!));
    };
    expect(distance(0.5)).toBeLessThan(2.5);
    expect(distance(1e6)).toBeLessThan(1e-3);
    expect(distance(1e-3)).toBeGreaterThan(2 * distance(0.5));
  });

  it('state how likely a fact is where a third of the facts is known, which plain logistic regression does not', () => {
    const drawn = draw('a third', 30_000, () => common, 1 / 3);
    const aware = compare(drawn, fitWeights(drawn).relations);
    expect(Math.abs(aware.stated - aware.expected)).toBeLessThan(0.02);
    expect(aware.apart).toBeLessThan(0.03);
    const plain = compare(drawn, fitWeights({ ...drawn, knownShare: 1 }).relations);
    expect(plain.stated).toBeLessThan(0.5 * plain.expected);
    expect(plain.apart).toBeGreaterThan(0.15);
  });

  it('count candidates by their weights', () => {
    const drawn = draw('weights', 4000, () => common);
    // Each candidate that was found twice, and each stated with half the weight.
    const twice: Outcomes = {
      ...drawn,
      weights: Float64Array.from(drawn.found, (found) => (found === 1 ? 10 : 5)),
    };
    const repeated = [...drawn.found.keys()].flatMap((i) => (drawn.found[i] === 1 ? [i, i] : [i]));
    const long: Outcomes = {
      features: Float64Array.from(
        repeated.flatMap((i) => [...drawn.features.subarray(i * featureCount, (i + 1) * featureCount)]),
      ),
      relations: Int32Array.from(repeated, (i) => drawn.relations[i]!),
      found: Uint8Array.from(repeated, (i) => drawn.found[i]!),
      weights: new Float64Array(repeated.length).fill(1),
      knownShare: 1,
    };
    const weak = { relations: 1e-4, common: 1e-4 };
    const [one, other] = [fitWeights(twice, weak), fitWeights(long, weak)];
    one.common.forEach((weight, i) => {
      expect(weight).toBeCloseTo(other.common[i]!, 2);
    });
    expect(one.common[0]).toBeGreaterThan(fitWeights(drawn, weak).common[0]! + 0.3);
  });

  it('lose less than any weights nearby, and less than no weights', () => {
    const drawn = draw('least', 3000, () => common, 0.6);
    const shrinkage = { relations: 1e6, common: 0.02 };
    const fitted = fitWeights(drawn, shrinkage);
    const lossOf = (w: readonly number[]): number => {
      let loss = (0.02 / 2) * w.slice(1).reduce((sum, weight) => sum + weight * weight, 0);
      drawn.found.forEach((found, i) => {
        const z = w.reduce((sum, weight, k) => sum + weight * drawn.features[i * featureCount + k]!, 0);
        const p = 0.6 * sigmoid(z);
        loss -= found === 1 ? Math.log(p) : Math.log(1 - p);
      });
      return loss;
    };
    const least = lossOf([...fitted.common]);
    const random = createRandom('nearby');
    for (let i = 0; i < 30; i += 1)
      expect(lossOf([...fitted.common].map((weight) => weight + 0.02 * random.normal()))).toBeGreaterThan(
        least,
      );
    expect(lossOf(common.map(() => 0))).toBeGreaterThan(least);
    expect(fitted.logLoss).toBeLessThan(lossOf(common.map(() => 0)) / 3000);
  });

  it('take rejected candidates for false, and others that were not found for half unknown', () => {
    const drawn = draw('rejected', 4000, () => common, 0.5);
    const meanOf = (rejected: (i: number) => boolean): number =>
      compare(
        drawn,
        fitWeights({ ...drawn, rejected: Uint8Array.from(drawn.found, (_, i) => (rejected(i) ? 1 : 0)) })
          .relations,
      ).stated;
    const none = meanOf(() => false);
    expect(none).toBe(compare(drawn, fitWeights(drawn).relations).stated);
    const some = meanOf((i) => drawn.found[i] === 0 && i % 2 === 0);
    const all = meanOf((i) => drawn.found[i] === 0);
    expect(some).toBeLessThan(none - 0.02);
    expect(all).toBeLessThan(some - 0.02);
    // All that was not found is false: as if all hidden facts were known.
    expect(all).toBeCloseTo(
      drawn.found.reduce((sum, found) => sum + found / 4000, 0),
      2,
    );
  });

  it('are the same to the last bit twice', () => {
    const drawn = draw('twice', 3000, () => common, 0.5);
    const [one, other] = [fitWeights(drawn), fitWeights(drawn)];
    expect(one.common).toEqual(other.common);
    expect([...one.relations]).toEqual([...other.relations]);
  });

  it('are numbers where everything was found, where nothing was, and where a feature separates', () => {
    const drawn = draw('extremes', 500, () => common);
    const separated = Uint8Array.from(drawn.relations, (_, i) =>
      drawn.features[i * featureCount + 3]! > 0 ? 1 : 0,
    );
    for (const knownShare of [1, 0.5])
      for (const found of [new Uint8Array(500), new Uint8Array(500).fill(1), separated]) {
        const { common: w, relations, logLoss } = fitWeights({ ...drawn, found, knownShare });
        expect([...w, ...[...relations.values()].flatMap((own) => [...own])].every(Number.isFinite)).toBe(
          true,
        );
        expect(Number.isFinite(logLoss)).toBe(true);
      }
  });
});
