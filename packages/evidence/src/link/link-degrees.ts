import { confidencesOf, type KnowledgeGraph } from '@fuzzqe/core';
import { highestPredicted, type LinkDegrees } from '@fuzzqe/core/sets';
import type { RuleIndex } from '../rules/rule-index.ts';
import { type RangeTable, rangeTable } from '../schema/ranges.ts';
import { mayBeReflexive } from '../schema/self-loops.ts';
import { fastExp } from './fast-exp.ts';
import {
  featureAt,
  type HeadFeatures,
  headFeatures,
  neighboursFeature,
  rangeFeature,
  ruleFeature,
  scale,
  shareBaseOf,
  tailOccurrences,
} from './features.ts';
import { namedTails } from './link-evidence.ts';
import { type LinkWeights, weightsOf } from './link-weights.ts';
import { missingHead, missingTail, recordedShift } from './missing-tails.ts';

/** The model's scores s(e) of links, logits at the temperature 1. Shapes: heads and relations [m] → [m, |E|], the caller's own. */
export type LinkScores = (heads: Int32Array, relations: Int32Array) => Promise<Float32Array>;

/** What links are judged by. */
export interface LinkState {
  readonly facts: KnowledgeGraph;
  readonly rules: RuleIndex;
  readonly weights: LinkWeights;
  /** The facts that declared axioms entail, each of which has `highestPredicted`. Default: none. */
  readonly entailed?: Pick<KnowledgeGraph, 'tails'> | undefined;
  /** Needed where the weights have a temperature. */
  readonly scores?: LinkScores | undefined;
  /**
   * s': the share of the hidden facts that are recorded by now, in [0, 1). Default 0.
   *
   * Weights say how likely a link is among all that was hidden when they were fitted; of what is recorded since, no more is missing. Where an
   * entity has one tail or head of a relation and none is recorded, that fact is missing still.
   */
  readonly recordedShare?: number | undefined;
}

/** What entities add to their logits as tails of a relation, by the codes of their ranges. Shapes: [codes in use]. */
export interface TailTerms {
  /** ln min(1, 4 ρ). */
  readonly shareBase: Float64Array;
  /** Of an entity that is no recorded tail. */
  readonly logits: Float64Array;
  /** By `recordedShift`, of an entity of which no head is recorded; −∞ where s' is 0. */
  readonly shifts: Float64Array;
  /** The recorded tails, ascending. */
  readonly ids: Int32Array;
  /** What is added to the logits of recorded tails besides. */
  readonly added: Float64Array;
}

/**
 * (9) The degree of a link: the probability that its evidence has together.
 *
 * `μ_hr(e)` is the confidence of (h, r, e) where it is recorded, 1 unless given; 0.999 where a declared axiom entails it, 0 where e = h and r has no recorded self loop, and elsewhere
 * `min(0.999, σ(w_r · x(h, r, e) + ln((1 − s') / (1 − s' m(h, r, e)))))` with the features x of `featureNames` and m of `missing-tails`, the greater of
 * both directions.
 *
 * Time a row: |E|, and what rules and similar heads take. Memory: 2 bytes an entity for each relation in use, up to 64 MiB, and the facts twice.
 */
export function createLinkDegrees(state: LinkState): LinkDegrees {
  const { facts, rules, weights, scores, entailed, recordedShare = 0 } = state;
  const { entityCount, confidences } = facts;
  const terms = createTailTerms(facts, weights, recordedShare);
  const judge = (row: Float32Array, head: number, relation: number): void => {
    const of = weightsOf(weights, relation);
    const { codes } = rangeTable(facts, relation, weights);
    const { logits, shareBase, shifts, ids, added } = terms(relation);
    const recorded = facts.tails(head, relation);
    const closed = mayBeReflexive(facts, relation) ? recorded : Int32Array.of(head, ...recorded);
    let constant = headTerms(of, headFeatures(facts, head, relation, weights));
    let slope = 0;
    if (weights.temperature !== null) {
      const share = of[featureAt.share]! / scale;
      constant -= share * shareNormaliser(row, weights.temperature, { codes, shareBase }, closed);
      slope = share * weights.temperature;
    }
    // The shift of the head is the least shift of each entity.
    const ofHead =
      recordedShare === 0 ? 0 : recordedShift(recordedShare, missingTail(facts, head, relation, weights));
    const byCode = logits.map((each, code) => constant + each + Math.max(ofHead, shifts[code]!));
    const named = namedTails(facts, rules, head, relation);
    const addOwn = (): void => {
      for (let i = 0; i < ids.length; i += 1)
        row[ids[i]!]! += added[i]! + ofHead - Math.max(ofHead, shifts[codes[ids[i]!]!]!);
      addNamed(row, of, named);
    };
    if (slope === 0) judgeByCode(row, codes, byCode, [ids, named.ids], addOwn);
    else {
      addTerms(row, slope, codes, byCode);
      addOwn();
      squash(row);
    }
    for (const id of closed) row[id] = 0;
    for (const tail of entailed?.tails(head, relation) ?? []) row[tail] = highestPredicted;
    for (const tail of recorded) row[tail] = 1;
    const { from, to } = confidencesOf(confidences, head, relation);
    for (let i = from; i < to; i += 1) row[confidences!.edges[3 * i + 2]!] = confidences!.degrees[i]!;
  };
  return {
    async rows(heads, relations) {
      const rows =
        weights.temperature === null || scores === undefined
          ? new Float32Array(heads.length * entityCount)
          : await scores(heads, relations);
      for (let i = 0; i < heads.length; i += 1)
        judge(rows.subarray(i * entityCount, (i + 1) * entityCount), heads[i]!, relations[i]!);
      return rows;
    },
  };
}

/** The logits of a row of scores, in place. */
export function addTerms(
  row: Float32Array,
  slope: number,
  codes: RangeTable['codes'],
  terms: Float64Array,
): void {
  for (let id = 0; id < row.length; id += 1) row[id] = slope * row[id]! + terms[codes[id]!]!;
}

/** Makes degrees of logits, in place. */
export function squash(row: Float32Array): void {
  for (let id = 0; id < row.length; id += 1) row[id] = degreeOf(row[id]!);
}

/** The degree of a predicted link by its logit. */
export function degreeOf(logit: number): number {
  const degree = 1 / (1 + fastExp(-logit));
  return degree < highestPredicted ? degree : highestPredicted;
}

/**
 * The degrees of a row without scores of a model.
 *
 * Entities of one code have the same degree, except `own` entities, to whose logits `addOwn` adds. The result is that of `addTerms`,
 * `addOwn` and `squash`, with an exponential for each code and each `own` entity instead of each entity.
 */
function judgeByCode(
  row: Float32Array,
  codes: RangeTable['codes'],
  terms: Float64Array,
  own: readonly Int32Array[],
  addOwn: () => void,
): void {
  const logits = Float32Array.from(terms);
  const degrees = logits.map(degreeOf);
  for (let id = 0; id < row.length; id += 1) row[id] = degrees[codes[id]!]!;
  for (const ids of own) for (const id of ids) row[id] = logits[codes[id]!]!;
  addOwn();
  // First the degrees, then the writes: an entity may be in both lists.
  const found = own.map((ids) => Float32Array.from(ids, (id) => degreeOf(row[id]!)));
  own.forEach((ids, at) => {
    for (let i = 0; i < ids.length; i += 1) row[ids[i]!] = found[at]![i]!;
  });
}

/** The part of w · x that all entities share, but for the model's. */
export function headTerms(weights: Float64Array, { tails, functional, domain }: HeadFeatures): number {
  return (
    weights[featureAt.constant]! +
    weights[featureAt.tails]! * tails +
    weights[featureAt.functional]! * functional +
    weights[featureAt.domain]! * domain
  );
}

/** Adds to logits what rules and similar heads say. */
export function addNamed(
  row: Float32Array,
  weights: Float64Array,
  { ids, votes, bestRule, joinedRules }: ReturnType<typeof namedTails>,
): void {
  for (let i = 0; i < ids.length; i += 1) {
    const ruled = bestRule[i]!;
    let added = weights[featureAt.neighbours]! * neighboursFeature(votes[i]!);
    if (ruled > 0)
      added +=
        weights[featureAt.bestRule]! * ruleFeature(ruled) +
        weights[featureAt.joinedRules]! * ruleFeature(joinedRules[i]!) +
        weights[featureAt.hasRule]!;
    row[ids[i]!]! += added;
  }
}

/** ln min(1, 4 ρ_r(e)) of every entity e, by the code of its range. */
export interface ShareBase {
  readonly codes: RangeTable['codes'];
  readonly shareBase: Float64Array;
}

/**
 * L_hr: `ln Σ_e exp(τ s(e) + ln min(1, 4 ρ_r(e)))` over the entities that may be new tails; 0 where there are none.
 *
 * Shapes: s and `codes` [|E|]; `shareBase`, the logarithms by code, [codes in use]; `closed`, recorded tails and a head without self loops, any number.
 */
export function shareNormaliser(
  scores: Float32Array,
  temperature: number,
  { codes, shareBase }: ShareBase,
  closed: Int32Array,
): number {
  // Recorded tails are few: their scores step aside.
  const kept = Array.from(closed, (id) => scores[id]!);
  for (const id of closed) scores[id] = Number.NEGATIVE_INFINITY;
  // No `shareBase` is above 0: what is too low without it needs no look at it.
  let top = Number.NEGATIVE_INFINITY;
  for (let id = 0; id < scores.length; id += 1) {
    const most = temperature * scores[id]!;
    if (most > top) top = Math.max(top, most + shareBase[codes[id]!]!);
  }
  let sum = 0;
  for (let id = 0; id < scores.length; id += 1) {
    const most = temperature * scores[id]! - top;
    // Below that a term changes no digit of single precision.
    if (most <= -20) continue;
    const logit = most + shareBase[codes[id]!]!;
    if (logit > -20) sum += fastExp(logit);
  }
  closed.forEach((id, i) => {
    scores[id] = kept[i]!;
  });
  return top === Number.NEGATIVE_INFINITY ? 0 : top + Math.log(sum);
}

/** The terms of relations, each computed when it is first asked for. */
export function createTailTerms(
  facts: KnowledgeGraph,
  weights: LinkWeights,
  recordedShare: number,
): (relation: number) => TailTerms {
  const kept = new Map<number, TailTerms>();
  return (relation) => {
    const known = kept.get(relation);
    if (known !== undefined) return known;
    const of = weightsOf(weights, relation);
    const ranges = Float64Array.from(rangeTable(facts, relation, weights).values);
    const { ids, frequency, unseen, inverseFunctional } = tailOccurrences(facts, relation);
    const share = weights.temperature === null ? 0 : of[featureAt.share]! / scale;
    const [ranged, often] = [of[featureAt.range]!, of[featureAt.frequency]!];
    const oneHead = of[featureAt.inverseFunctional]! * inverseFunctional;
    const made = {
      shareBase: ranges.map(shareBaseOf),
      logits: ranges.map((each) => share * shareBaseOf(each) + ranged * rangeFeature(each) + often * unseen),
      shifts: ranges.map((each) =>
        recordedShare === 0
          ? Number.NEGATIVE_INFINITY
          : recordedShift(recordedShare, missingHead(facts, relation, each)),
      ),
      ids,
      added: frequency.map((each) => often * (each - unseen) + oneHead),
    };
    kept.set(relation, made);
    return made;
  };
}
