import { inverseOf, type KnowledgeGraph, type RelationId } from '@fuzzqe/core';
import { type RangeOptions, rangeOf } from '../schema/ranges.ts';
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
const seldom = 0.1;

/** The features of every entity as a tail of a relation. */
export function tailFeatures(
  facts: KnowledgeGraph,
  relation: number,
  schema: RangeOptions = {},
): TailFeatures {
  const { entityCount, index } = facts;
  const ranges = rangeOf(facts, relation, schema);
  const shareBase = new Float32Array(entityCount);
  const range = new Float32Array(entityCount);
  // Most entities have the range of their neighbours in the table, and a logarithm takes longer than a comparison.
  let [last, base, own] = [Number.NaN, 0, 0];
  for (let id = 0; id < entityCount; id += 1) {
    if (ranges[id] !== last) {
      last = ranges[id]!;
      [base, own] = [Math.log(Math.min(1, 4 * last)), Math.log(last) / scale];
    }
    shareBase[id] = base;
    range[id] = own;
  }
  const inverse = inverseOf(relation as RelationId); // a relation of these facts
  const { relationOffsets, relationHeads, relationGroups, groupOffsets } = index;
  const [first, end] = [relationOffsets[inverse]!, relationOffsets[inverse + 1]!];
  let all = 0;
  for (let at = first; at < end; at += 1) {
    const group = relationGroups[at]!;
    all += groupOffsets[group + 1]! - groupOffsets[group]!;
  }
  const total = all + seldom * entityCount;
  const frequency = new Float32Array(entityCount).fill(Math.log(seldom / total) / scale);
  const inverseFunctional = new Float32Array(entityCount);
  const second = Math.log(secondTailShare(facts, inverse)) / scale;
  for (let at = first; at < end; at += 1) {
    const group = relationGroups[at]!;
    const heads = groupOffsets[group + 1]! - groupOffsets[group]!;
    frequency[relationHeads[at]!] = Math.log((heads + seldom) / total) / scale;
    inverseFunctional[relationHeads[at]!] = second;
  }
  return { shareBase, range, inverseFunctional, frequency };
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
  const domain = rangeOf(facts, inverseOf(relation as RelationId), schema)[head]!; // a relation of these facts
  return {
    tails: Math.log(Math.max(recorded, 1)) / scale,
    functional: recorded === 0 ? 0 : Math.log(secondTailShare(facts, relation)) / scale,
    domain: Math.log(domain) / scale,
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
