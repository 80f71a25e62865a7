import { createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { featureAt, featureCount } from './features.ts';
import { fitEvidence } from './fit-evidence.ts';
import { weightsOf } from './link-weights.ts';
import type { CandidateSample } from './sample-outcomes.ts';

/** Links of which each has one fact, drawn from the model's shares at a temperature. */
function sampleOf(temperature: number): CandidateSample {
  const random = createRandom('fitted evidence', `${temperature}`);
  const [linkCount, each] = [400, 25];
  const temperatures = [0.25, 1, 4, 16];
  const count = linkCount * each;
  const scores = Float32Array.from({ length: count }, () => random.normal());
  const normalisers = new Float64Array(linkCount * temperatures.length);
  const found = new Uint8Array(count);
  for (let link = 0; link < linkCount; link += 1) {
    const row = scores.subarray(link * each, (link + 1) * each);
    temperatures.forEach((t, at) => {
      normalisers[link * temperatures.length + at] = Math.log(
        row.reduce((sum, s) => sum + Math.exp(t * s), 0),
      );
    });
    const weights = Array.from(row, (s) => Math.exp(temperature * s));
    let left = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
    const drawn = weights.findIndex((weight) => {
      left -= weight;
      return left <= 0;
    });
    found[link * each + drawn] = 1;
  }
  const features = new Float64Array(count * featureCount);
  for (let i = 0; i < count; i += 1) features[i * featureCount + featureAt.constant] = 1;
  return {
    links: Array.from({ length: linkCount }, (_, i) => ({
      head: i,
      relation: 2 * (i % 2),
      hidden: new Set(),
      weight: 1,
    })),
    linkOf: Int32Array.from({ length: count }, (_, i) => Math.floor(i / each)),
    entities: Int32Array.from({ length: count }, (_, i) => i % each),
    ...{ found, features, scores, normalisers, temperatures },
  };
}

const sampleOfNone = (sample: ReturnType<typeof sampleOf>): ReturnType<typeof sampleOf> => ({
  ...sample,
  links: [],
  linkOf: sample.linkOf.slice(0, 0),
  found: sample.found.slice(0, 0),
});

const options = { relationCount: 6, typeRelations: [4], knownShare: 1, hasModel: true };

describe('fitted evidence', () => {
  it.each([1, 4])('has the temperature by which facts follow from scores: %d', (temperature) => {
    const { weights } = fitEvidence(sampleOf(temperature), options)!;
    expect(weights.temperature).toBe(temperature);
    // P = share means logits near ln share: the feature is a fourth of it.
    expect(weightsOf(weights, 0)[featureAt.share]).toBeGreaterThan(2.5);
  });

  it('gives relations without candidates the common weights, and others their own', () => {
    const { weights, common } = fitEvidence(sampleOf(1), options)!;
    for (const relation of [1, 3, 4, 5]) expect(weightsOf(weights, relation)).toEqual(common);
    expect(weightsOf(weights, 0)).not.toEqual(common);
    expect(weightsOf(weights, 0)).not.toEqual(weightsOf(weights, 2));
    expect(weights.typeRelations).toEqual([4]);
  });

  it('has no temperature without a model, and loses more', () => {
    const sample = sampleOf(4);
    const without = fitEvidence(sample, { ...options, hasModel: false })!;
    expect(without.weights.temperature).toBeNull();
    expect(weightsOf(without.weights, 0)[featureAt.share]).toBeCloseTo(0, 9);
    expect(fitEvidence(sample, options)!.logLoss).toBeLessThan(without.logLoss - 0.02);
  });

  it('is undefined without candidates, and where no candidate is a hidden fact', () => {
    const sample = sampleOf(1);
    const none = sampleOfNone(sample);
    expect(fitEvidence({ ...sample, found: sample.found.map(() => 0) }, options)).toBeUndefined();
    expect(fitEvidence(none, options)).toBeUndefined();
    expect(fitEvidence(none, { ...options, hasModel: false })).toBeUndefined();
  });

  it('is the same to the last bit twice', () => {
    const [one, other] = [fitEvidence(sampleOf(1), options), fitEvidence(sampleOf(1), options)];
    expect(one).toEqual(other);
  });
});
