import { confidencesOf, findGroup, type KnowledgeGraph, keptBy, placeOf, rowsOf } from '@fuzzqe/core';
import { highestPredicted } from '@fuzzqe/core/sets';
import { headsOf } from '../schema/attribute-counter.ts';
import { rangesAt } from '../schema/ranges-at.ts';
import { secondTailShare } from '../schema/second-tail-share.ts';
import { fastExp } from './fast-exp.ts';
import {
  featureAt,
  neighboursFeature,
  rangeFeature,
  ruleFeature,
  scale,
  seldom,
  shareBaseOf,
} from './features.ts';
import { degreeOf, type LinkState } from './link-degrees.ts';
import { namedTails } from './link-evidence.ts';
import { weightsOf } from './link-weights.ts';

/** Some entities as tails of a relation: what the evidence says of them whatever the head is. Shapes: [n] each. */
export interface TailTerms {
  readonly relation: number;
  /** Ascending. */
  readonly ids: Int32Array;
  /** ln min(1, 4 ρ_r(e)). */
  readonly shareBase: Float64Array;
  /** What is added to the logits of links. */
  readonly logits: Float64Array;
  /** 1 where the entity is a tail of the relation in the index. */
  readonly isTail: Uint8Array;
}

/** What tails are judged by. */
export type TailState = Omit<LinkState, 'scores' | 'recordedShare'>;

/** Judges links at chosen tails. */
export interface TailJudge {
  terms(relation: number, ids: Int32Array): TailTerms;
  /** L_hr by the scores of some tails and by how many entities each of them stands for; 0 without a model. Shapes: scores and counts [n]. */
  normaliser(head: number, tails: TailTerms, scores: Float32Array, counts: Float64Array): number;
  /** (9) of some tails of a link, by their scores and the normaliser. Shapes: scores [n], undefined without a model → [n]. */
  degrees(head: number, tails: TailTerms, scores: Float32Array | undefined, normaliser: number): Float32Array;
  /** The entities that facts, axioms, and rules or similar heads name as tails of a link. */
  named(head: number, relation: number): readonly Int32Array[];
}

/** What of a relation judges its tails, kept as long as the index is. */
const keptRelations = keptBy((_: KnowledgeGraph['index']) => new Map<number, RelationCounts>());

interface RelationCounts {
  /** How many facts the relation has in the index. */
  readonly facts: number;
  /** Whether some fact (e, r, e) is in the index. */
  readonly isReflexive: boolean;
}

/**
 * (9) at chosen tails: as `createLinkDegrees`, whose rows have all entities.
 *
 * `L_hr = ln Σ_i c_i exp(τ s(e_i) + ln min(1, 4 ρ_r(e_i)))` over the tails that are not closed: exact if they are all entities with c_i = 1, and an estimate if some
 * of them stand for others.
 *
 * Time: the tails, and what rules and similar heads take. Memory: two numbers a relation, and the shares of its ranges.
 * Source of the estimate: Mussmann and Ermon, "Learning and Inference via Maximum Inner Product Search", ICML 2016, section 3.
 */
export function createTailJudge({ facts, rules, weights, entailed }: TailState): TailJudge {
  const base = rowsOf(facts.index);
  const temperature = weights.temperature ?? 0;
  const weightOf = (relation: number) => {
    const of = weightsOf(weights, relation);
    return (name: keyof typeof featureAt): number => of[featureAt[name]]!;
  };
  const shareOf = (relation: number): number =>
    weights.temperature === null ? 0 : weightOf(relation)('share') / scale;
  return {
    terms(relation, ids) {
      const weight = weightOf(relation);
      const ranges = rangesAt(facts, relation, ids, weights);
      const shareBase = Float64Array.from(ranges, shareBaseOf);
      const share = shareOf(relation);
      const oneHead = (weight('inverseFunctional') * Math.log(secondTailShare(facts, relation ^ 1))) / scale;
      const total = countsOf(facts, relation).facts + seldom * facts.entityCount;
      const isTail = new Uint8Array(ids.length);
      const logits = Float64Array.from(ids, (id, i) => {
        const group = findGroup(base, id, relation ^ 1);
        const heads = group < 0 ? 0 : base.groupEnds[group]! - base.groupStarts[group]!;
        if (heads > 0) isTail[i] = 1;
        return (
          share * shareBase[i]! +
          weight('range') * rangeFeature(ranges[i]!) +
          (weight('frequency') * Math.log((heads + seldom) / total)) / scale +
          (heads > 0 ? oneHead : 0)
        );
      });
      return { relation, ids, shareBase, logits, isTail };
    },
    normaliser(head, { relation, ids, shareBase }, scores, counts) {
      if (weights.temperature === null) return 0;
      const recorded = facts.tails(head, relation);
      const { isReflexive } = countsOf(facts, relation);
      const logits = new Float64Array(ids.length).fill(Number.NEGATIVE_INFINITY);
      let top = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < ids.length; i += 1) {
        const isClosed = (ids[i] === head && !isReflexive) || includes(recorded, ids[i]!);
        if (counts[i] === 0 || isClosed) continue;
        logits[i] = temperature * scores[i]! + shareBase[i]!;
        if (logits[i]! > top) top = logits[i]!;
      }
      if (top === Number.NEGATIVE_INFINITY) return 0;
      let sum = 0;
      for (let i = 0; i < ids.length; i += 1)
        if (logits[i]! > top - 30) sum += counts[i]! * fastExp(logits[i]! - top);
      return top + Math.log(sum);
    },
    degrees(head, { relation, ids, logits }, scores, normaliser) {
      const weight = weightOf(relation);
      const recorded = facts.tails(head, relation);
      const share = shareOf(relation);
      const domain = rangesAt(facts, relation ^ 1, Int32Array.of(head), weights)[0]!;
      const functional = recorded.length === 0 ? 0 : Math.log(secondTailShare(facts, relation));
      const constant =
        weight('constant') +
        (weight('tails') * Math.log(Math.max(recorded.length, 1)) + weight('functional') * functional) /
          scale +
        weight('domain') * rangeFeature(domain) -
        share * normaliser;
      const slope = share * temperature;
      const degrees = new Float32Array(ids.length);
      for (let i = 0; i < ids.length; i += 1) degrees[i] = constant + slope * (scores?.[i] ?? 0) + logits[i]!;
      const { ids: named, votes, bestRule, joinedRules } = namedTails(facts, rules, head, relation);
      for (let n = 0; n < named.length; n += 1) {
        const place = placeIn(ids, named[n]!);
        if (place < 0) continue;
        degrees[place]! += weight('neighbours') * neighboursFeature(votes[n]!);
        if (bestRule[n]! > 0)
          degrees[place]! +=
            weight('bestRule') * ruleFeature(bestRule[n]!) +
            weight('joinedRules') * ruleFeature(joinedRules[n]!) +
            weight('hasRule');
      }
      const set = (id: number, degree: number): void => {
        const place = placeIn(ids, id);
        if (place >= 0) degrees[place] = degree;
      };
      for (let i = 0; i < ids.length; i += 1) degrees[i] = degreeOf(degrees[i]!);
      if (!countsOf(facts, relation).isReflexive) set(head, 0);
      for (const id of entailed?.tails(head, relation) ?? []) set(id, highestPredicted);
      for (let i = 0; i < ids.length; i += 1) if (includes(recorded, ids[i]!)) degrees[i] = 1;
      const { from, to } = confidencesOf(facts.confidences, head, relation);
      for (let at = from; at < to; at += 1)
        set(facts.confidences!.edges[3 * at + 2]!, facts.confidences!.degrees[at]!);
      return degrees;
    },
    named: (head, relation) => [
      facts.tails(head, relation),
      entailed?.tails(head, relation) ?? new Int32Array(),
      namedTails(facts, rules, head, relation).ids,
    ],
  };
}

function countsOf({ index }: KnowledgeGraph, relation: number): RelationCounts {
  const kept = keptRelations(index);
  const known = kept.get(relation);
  if (known !== undefined) return known;
  const { groupStarts, groupEnds, tails } = rowsOf(index);
  let [facts, isReflexive] = [0, false];
  const { relationOffsets, relationGroups, relationHeads } = index;
  for (let at = relationOffsets[relation]!; at < relationOffsets[relation + 1]!; at += 1) {
    const group = relationGroups[at]!;
    const [start, end] = [groupStarts[group]!, groupEnds[group]!];
    facts += end - start;
    isReflexive ||= placeOf(tails, relationHeads[at]!, start, end) >= 0;
  }
  const made = { facts, isReflexive };
  kept.set(relation, made);
  return made;
}

/**
 * The tails of a relation that most facts have, at most `count`, the most frequent first.
 *
 * Time: the tails of the relation.
 */
export function frequentTails(
  { index }: Pick<KnowledgeGraph, 'index'>,
  relation: number,
  count: number,
): Int32Array {
  const { relationOffsets, relationGroups, groupOffsets } = index;
  const first = relationOffsets[relation ^ 1]!;
  const ids = headsOf(index, relation ^ 1);
  const heads = Int32Array.from(ids, (_, i) => {
    const group = relationGroups[first + i]!;
    return groupOffsets[group + 1]! - groupOffsets[group]!;
  });
  const places = Int32Array.from(ids.keys()).sort((a, b) => heads[b]! - heads[a]! || a - b);
  return places.subarray(0, count).map((place) => ids[place]!);
}

const placeIn = (ids: Int32Array, id: number): number => placeOf(ids, id, 0, ids.length);
const includes = (ids: Int32Array, id: number): boolean => placeIn(ids, id) >= 0;
