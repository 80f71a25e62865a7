import { confidencesOf, findGroup, type KnowledgeGraph, keptBy, placeOf, rowsOf } from '@fuzzqe/core';
import { highestPredicted } from '@fuzzqe/core/sets';
import { headsOf } from '../schema/attribute-counter.ts';
import { rangesAt } from '../schema/ranges-at.ts';
import { secondTailShare } from '../schema/second-tail-share.ts';
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

/** Some tails with their scores. Shapes: [n] each. */
export interface ScoredTails {
  /** Each once. */
  readonly ids: Int32Array;
  /** By the model. */
  readonly scores: Float32Array;
}

/** Entities of one kind that stand for all of the kind. */
export interface TailSample extends ScoredTails {
  /** How many entities are of the kind. */
  readonly of: number;
  /** Whether an entity is of the kind. */
  includes(id: number): boolean;
}

/** What tails are judged by. */
export type TailState = Omit<LinkState, 'scores' | 'recordedShare'>;

/** Judges links at chosen tails. */
export interface TailJudge {
  /** What the model adds to the logits of a link but for the score of the tail; 0 without a model. */
  normaliser(head: number, relation: number, best: ScoredTails, rest: readonly TailSample[]): number;
  /**
   * (9) of some tails of a link, by their scores and the normaliser.
   *
   * Shapes: ids [n] ascending, scores [n], undefined without a model → [n].
   */
  degrees(
    head: number,
    relation: number,
    ids: Int32Array,
    scores: Float32Array | undefined,
    normaliser: number,
  ): Float32Array;
  /** The entities that facts, axioms, and rules or similar heads name as tails of a link. */
  named(head: number, relation: number): readonly Int32Array[];
}

/** What of a relation judges its tails, kept as long as the index is. */
const keptRelations = keptBy((_: KnowledgeGraph['index']) => new Map<number, RelationTails>());

interface RelationTails {
  /** How many facts the relation has in the index. */
  readonly facts: number;
  /** Whether some fact (e, r, e) is in the index. */
  readonly reflexive: boolean;
}

/**
 * (9) at chosen tails: as `createLinkDegrees`, whose rows have all entities.
 *
 * `L_hr ≈ ln(Σ_{e ∈ best} x(e) + Σ_k N_k mean_{e ∈ sample k} x(e))`, `x(e) = exp(τ s(e) + ln min(1, 4 ρ_r(e)))`, without closed entities; N_k are the
 * entities of the kind k that are not among the best. A sample of all entities gives the sum itself.
 *
 * Time: the tails, and what rules and similar heads take. Memory: two numbers a relation, and the shares of its ranges.
 * Source of the estimate: Mussmann and Ermon, "Learning and Inference via Maximum Inner Product Search", ICML 2016, section 3.
 */
export function createTailJudge(state: TailState): TailJudge {
  const { facts, rules, weights, entailed } = state;
  const { confidences } = facts;
  const base = rowsOf(facts.index);
  const temperature = weights.temperature ?? 0;
  const domainOf = (head: number, relation: number): number =>
    rangesAt(facts, relation ^ 1, Int32Array.of(head), weights)[0]!;
  return {
    normaliser(head, relation, best, rest) {
      if (weights.temperature === null) return 0;
      const recorded = facts.tails(head, relation);
      const { reflexive } = tailsOfRelation(facts, relation);
      const isClosed = (id: number): boolean => (id === head && !reflexive) || includes(recorded, id);
      const logits = ({ ids, scores }: ScoredTails): Float64Array => {
        const ranges = rangesAt(facts, relation, ids, weights);
        return Float64Array.from(ids, (id, i) =>
          isClosed(id) ? Number.NEGATIVE_INFINITY : temperature * scores[i]! + shareBaseOf(ranges[i]!),
        );
      };
      const taken = new Set(best.ids);
      const parts = rest.map((sample) => {
        const weight = new Float64Array(sample.ids.length);
        const others = sample.ids.filter((id) => !taken.has(id)).length;
        const listed = best.ids.filter((id) => sample.includes(id)).length;
        const each = Math.max(0, sample.of - listed) / others;
        return {
          logits: logits(sample),
          weight: weight.map((_, i) => (taken.has(sample.ids[i]!) ? 0 : each)),
        };
      });
      parts.push({ logits: logits(best), weight: new Float64Array(best.ids.length).fill(1) });
      let top = Number.NEGATIVE_INFINITY;
      for (const part of parts) for (const logit of part.logits) top = Math.max(top, logit);
      if (top === Number.NEGATIVE_INFINITY) return 0;
      let sum = 0;
      for (const part of parts)
        part.logits.forEach((logit, i) => {
          sum += part.weight[i]! * Math.exp(logit - top);
        });
      return top + Math.log(sum);
    },
    degrees(head, relation, ids, scores, normaliser) {
      const of = weightsOf(weights, relation);
      const weight = (name: keyof typeof featureAt): number => of[featureAt[name]]!;
      const recorded = facts.tails(head, relation);
      const share = weights.temperature === null ? 0 : weight('share') / scale;
      const constant =
        weight('constant') +
        (weight('tails') * Math.log(Math.max(recorded.length, 1))) / scale +
        (recorded.length === 0
          ? 0
          : (weight('functional') * Math.log(secondTailShare(facts, relation))) / scale) +
        weight('domain') * rangeFeature(domainOf(head, relation)) -
        share * normaliser;
      const ranges = rangesAt(facts, relation, ids, weights);
      const oneHead = (weight('inverseFunctional') * Math.log(secondTailShare(facts, relation ^ 1))) / scale;
      const { facts: all, reflexive } = tailsOfRelation(facts, relation);
      const total = all + seldom * facts.entityCount;
      const frequency = (heads: number): number => Math.log((heads + seldom) / total) / scale;
      const degrees = new Float32Array(ids.length);
      for (let i = 0; i < ids.length; i += 1) {
        const group = findGroup(base, ids[i]!, relation ^ 1);
        const heads = group < 0 ? 0 : base.groupEnds[group]! - base.groupStarts[group]!;
        degrees[i] =
          constant +
          share * (temperature * (scores?.[i] ?? 0) + shareBaseOf(ranges[i]!)) +
          weight('range') * rangeFeature(ranges[i]!) +
          weight('frequency') * frequency(heads) +
          (heads > 0 ? oneHead : 0);
      }
      const { ids: named, votes, bestRule, joinedRules } = namedTails(facts, rules, head, relation);
      for (let n = 0, i = 0; n < named.length && i < ids.length; ) {
        if (named[n]! !== ids[i]!) {
          if (named[n]! < ids[i]!) n += 1;
          else i += 1;
          continue;
        }
        degrees[i]! += weight('neighbours') * neighboursFeature(votes[n]!);
        if (bestRule[n]! > 0)
          degrees[i]! +=
            weight('bestRule') * ruleFeature(bestRule[n]!) +
            weight('joinedRules') * ruleFeature(joinedRules[n]!) +
            weight('hasRule');
        n += 1;
      }
      const set = (id: number, degree: number): void => {
        const place = placeOf(ids, id, 0, ids.length);
        if (place >= 0) degrees[place] = degree;
      };
      for (let i = 0; i < ids.length; i += 1) degrees[i] = degreeOf(degrees[i]!);
      if (!reflexive) set(head, 0);
      for (const id of entailed?.tails(head, relation) ?? []) set(id, highestPredicted);
      for (let i = 0; i < ids.length; i += 1) if (includes(recorded, ids[i]!)) degrees[i] = 1;
      const { from, to } = confidencesOf(confidences, head, relation);
      for (let at = from; at < to; at += 1) set(confidences!.edges[3 * at + 2]!, confidences!.degrees[at]!);
      return degrees;
    },
    named: (head, relation) => [
      facts.tails(head, relation),
      entailed?.tails(head, relation) ?? new Int32Array(),
      namedTails(facts, rules, head, relation).ids,
    ],
  };
}

function tailsOfRelation({ index }: KnowledgeGraph, relation: number): RelationTails {
  const kept = keptRelations(index);
  const known = kept.get(relation);
  if (known !== undefined) return known;
  const { groupStarts, groupEnds, tails } = rowsOf(index);
  let [facts, reflexive] = [0, false];
  const { relationOffsets, relationGroups, relationHeads } = index;
  for (let at = relationOffsets[relation]!; at < relationOffsets[relation + 1]!; at += 1) {
    const group = relationGroups[at]!;
    const [start, end] = [groupStarts[group]!, groupEnds[group]!];
    facts += end - start;
    reflexive ||= placeOf(tails, relationHeads[at]!, start, end) >= 0;
  }
  const made = { facts, reflexive };
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

const includes = (ids: Int32Array, id: number): boolean => placeOf(ids, id, 0, ids.length) >= 0;
