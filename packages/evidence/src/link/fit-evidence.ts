import { featureAt, featureCount, scale } from './features.ts';
import { type FittedWeights, fitWeights, type Outcomes, type Shrinkage } from './fit-weights.ts';
import type { LinkWeights } from './link-weights.ts';
import type { CandidateSample } from './sample-outcomes.ts';

/** Temperatures that are tried: a model by blocks that was trained for long has large scores, cosines are at most 1. */
export const evidenceTemperatures: readonly number[] = [0.25, 0.5, 1, 2, 5, 10, 20, 45];

/** A share of this many links judges temperatures. */
const judged = 600;

/** How weights are fitted. */
export interface FitEvidenceOptions {
  readonly relationCount: number;
  readonly typeRelations: readonly number[];
  /** The share of the hidden facts that the sample knows, in (0, 1]. */
  readonly knownShare: number;
  readonly hasModel: boolean;
  readonly shrinkage?: Shrinkage;
}

/** Fitted evidence. */
export interface FittedEvidence {
  readonly weights: LinkWeights;
  readonly common: Float64Array;
  readonly logLoss: number;
}

/**
 * Fits the weights of evidence on candidates, and the temperature of shares with them: the one with the least log loss of common weights.
 *
 * Relations without candidates have the common weights. Undefined without a candidate whose fact was found: nothing can be fitted, and the caller takes `defaultWeights`.
 */
export function fitEvidence(
  sample: CandidateSample,
  options: FitEvidenceOptions,
): FittedEvidence | undefined {
  if (!sample.found.includes(1)) return undefined;
  const { relationCount, typeRelations, knownShare, hasModel, shrinkage } = options;
  const at = hasModel ? bestTemperature(sample, knownShare) : -1;
  const fitted = fitWeights(outcomesAt(sample, at, knownShare), shrinkage);
  const relations = new Float64Array(relationCount * featureCount);
  for (let relation = 0; relation < relationCount; relation += 1)
    relations.set(fitted.relations.get(relation) ?? fitted.common, relation * featureCount);
  const temperature = at < 0 ? null : sample.temperatures[at]!;
  return {
    weights: { temperature, typeRelations, relations },
    common: fitted.common,
    logLoss: fitted.logLoss,
  };
}

/** The place of the temperature at which one set of weights for all relations loses least. */
function bestTemperature(sample: CandidateSample, knownShare: number): number {
  const few = Math.max(1, Math.round(sample.links.length / judged));
  let best: { at: number; fit: FittedWeights } | undefined;
  for (let at = 0; at < sample.temperatures.length; at += 1) {
    const all = outcomesAt(sample, at, knownShare);
    const kept = Array.from(sample.linkOf.keys()).filter((i) => sample.linkOf[i]! % few === 0);
    const some: Outcomes = {
      features: Float64Array.from(
        kept.flatMap((i) => Array.from(all.features.subarray(i * featureCount, (i + 1) * featureCount))),
      ),
      // One relation for all: temperatures are compared by the weights that relations share.
      relations: new Int32Array(kept.length),
      found: Uint8Array.from(kept, (i) => all.found[i]!),
      weights: Float64Array.from(kept, (i) => all.weights[i]!),
      rejected: Uint8Array.from(kept, (i) => all.rejected![i]!),
      knownShare,
    };
    const fit = fitWeights(some, { relations: 1e6, common: 0.02 });
    if (best === undefined || fit.logLoss < best.fit.logLoss) best = { at, fit };
  }
  return best!.at;
}

/** The candidates with the features that they have at a temperature; below 0 without a model. */
export function outcomesAt(sample: CandidateSample, at: number, knownShare: number): Outcomes {
  const { links, linkOf, found, scores, normalisers, temperatures } = sample;
  const features = sample.features.slice();
  if (at >= 0)
    for (let i = 0; i < linkOf.length; i += 1) {
      const normaliser = normalisers[linkOf[i]! * temperatures.length + at]!;
      features[i * featureCount + featureAt.share]! += (temperatures[at]! * scores[i]! - normaliser) / scale;
    }
  return {
    features,
    relations: Int32Array.from(linkOf, (link) => links[link]!.relation),
    found,
    weights: Float64Array.from(linkOf, (link) => links[link]!.weight),
    rejected: Uint8Array.from(linkOf, (link) => (links[link]!.rejected === undefined ? 0 : 1)),
    knownShare,
  };
}
