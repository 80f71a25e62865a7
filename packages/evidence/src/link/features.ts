import { inverseOf, type KnowledgeGraph, type RelationId } from '@fuzzqe/core';
import { type RangeOptions, rangeAt, rangeTable, spread } from '../schema/ranges.ts';
import { secondTailShare } from '../schema/second-tail-share.ts';

/**
 * What is known of a link (h, r) and an entity e, in the order of weights. Logarithms are divided by 4. Without a model the share is 0.
 *
 * | name | of the link (h, r) and e |
 * |---|---|
 * | constant | 1 |
 * | share | ln of the model's share of e in its link, `τ s(e) + ln min(1, 4 ρ_r(e)) − L_hr`, L_hr the logarithm of their sum over the entities that may be new tails |
 * | tails | ln max(n_hr, 1), n_hr the number of recorded tails |
 * | functional | where n_hr ≥ 1, ln φ_r, φ_r the share of heads with a second tail |
 * | inverseFunctional | where e has a recorded head under r, ln φ_{r⁻¹} |
 * | range | ln ρ_r(e), how far e may be a tail of r |
 * | domain | ln ρ_{r⁻¹}(h), how far h may be a head of r |
 * | frequency | ln of how often e is a tail of r: `(n + 0.1) / (N + 0.1 \|E\|)`, n of the N facts of r |
 * | neighbours | √c, c the share of e among the votes of similar heads |
 * | bestRule | log-odds of the best rule that names e, above those of 10⁻⁴; 0 without such a rule |
 * | joinedRules | the same of the noisy-or of the best six rules |
 * | hasRule | 1 where a rule names e |
 */
export const featureNames = [
  'constant',
  'share',
  'tails',
  'functional',
  'inverseFunctional',
  'range',
  'domain',
  'frequency',
  'neighbours',
  'bestRule',
  'joinedRules',
  'hasRule',
] as const;
export type FeatureName = (typeof featureNames)[number];

export const featureCount: number = featureNames.length;

/** The place of each feature among weights. */
export const featureAt: Readonly<Record<FeatureName, number>> = Object.fromEntries(
  featureNames.map((name, at) => [name, at]),
) as Record<FeatureName, number>; // fromEntries forgets the names, which are all there.

/** Logarithms are as large as other features when they are divided by this. */
export const scale = 4;

/** What the schema says of every entity as a tail of one relation. Shapes: [|E|] each. */
export interface TailFeatures {
  /** ln min(1, 4 ρ_r(e)), unscaled: it is part of shares. */
  readonly shareBase: Float32Array;
  readonly range: Float32Array;
  readonly inverseFunctional: Float32Array;
  readonly frequency: Float32Array;
}

/** What counts as no occurrence at all. */
export const seldom = 0.1;

/** ln min(1, 4 ρ), unscaled. Range of ρ: (0, 1]. */
export const shareBaseOf = (range: number): number => Math.log(Math.min(1, 4 * range));

/** The feature of a range. Range of ρ: (0, 1]. */
export const rangeFeature = (range: number): number => Math.log(range) / scale;

/** What the facts of a relation say of its recorded tails, and of all other entities together. */
export interface TailOccurrences {
  /** The recorded tails, ascending. */
  readonly ids: Int32Array;
  /** Their feature `frequency`, in the same order. */
  readonly frequency: Float64Array;
  /** The feature `frequency` of an entity that is no recorded tail. */
  readonly unseen: number;
  /** The feature `inverseFunctional` of recorded tails; it is 0 of others. */
  readonly inverseFunctional: number;
}

/** How often entities are tails of a relation. */
export function tailOccurrences(facts: KnowledgeGraph, relation: number): TailOccurrences {
  const { entityCount, index } = facts;
  const inverse = inverseOf(relation as RelationId); // a relation of these facts
  const { relationOffsets, relationHeads, relationGroups, groupOffsets } = index;
  const [first, end] = [relationOffsets[inverse]!, relationOffsets[inverse + 1]!];
  const frequency = new Float64Array(end - first);
  let all = 0;
  for (let at = first; at < end; at += 1) {
    const group = relationGroups[at]!;
    frequency[at - first] = groupOffsets[group + 1]! - groupOffsets[group]!;
    all += frequency[at - first]!;
  }
  const total = all + seldom * entityCount;
  const feature = (heads: number): number => Math.log((heads + seldom) / total) / scale;
  return {
    ids: relationHeads.subarray(first, end),
    frequency: frequency.map(feature),
    unseen: feature(0),
    inverseFunctional: Math.log(secondTailShare(facts, inverse)) / scale,
  };
}

/** The features of every entity as a tail of a relation. */
export function tailFeatures(
  facts: KnowledgeGraph,
  relation: number,
  schema: RangeOptions = {},
): TailFeatures {
  const { entityCount } = facts;
  const ranges = rangeTable(facts, relation, schema);
  const { ids, unseen, ...of } = tailOccurrences(facts, relation);
  const frequency = new Float32Array(entityCount).fill(unseen);
  const inverseFunctional = new Float32Array(entityCount);
  ids.forEach((id, i) => {
    frequency[id] = of.frequency[i]!;
    inverseFunctional[id] = of.inverseFunctional;
  });
  return {
    shareBase: spread(ranges, shareBaseOf),
    range: spread(ranges, rangeFeature),
    inverseFunctional,
    frequency,
  };
}

/** What is known of a link whatever the entity is. */
export interface HeadFeatures {
  readonly tails: number;
  readonly functional: number;
  readonly domain: number;
}

/** The features of a link (h, r) that all entities share. */
export function headFeatures(
  facts: KnowledgeGraph,
  head: number,
  relation: number,
  schema: RangeOptions = {},
): HeadFeatures {
  const recorded = facts.tails(head, relation).length;
  const domain = rangeAt(facts, inverseOf(relation as RelationId), head, schema); // a relation of these facts
  return {
    tails: Math.log(Math.max(recorded, 1)) / scale,
    functional: recorded === 0 ? 0 : Math.log(secondTailShare(facts, relation)) / scale,
    domain: rangeFeature(domain),
  };
}

/** The feature of the votes of similar heads. Range of shares: [0, 1]. */
export const neighboursFeature = (share: number): number => Math.sqrt(share);

const [least, most] = [1e-4, 0.9999];
const leastOdds = Math.log(least / (1 - least));

/** The feature of a rule's confidence, above that of no rule. Range of confidences: [0, 1]. */
export function ruleFeature(confidence: number): number {
  if (confidence <= least) return 0;
  const bounded = Math.min(confidence, most);
  return (Math.log(bounded / (1 - bounded)) - leastOdds) / scale;
}
