import type { KnowledgeGraph } from '@fuzzqe/core';
import { highestPredicted, type LinkDegrees } from '@fuzzqe/core/sets';
import type { RuleIndex } from '../rules/rule-index.ts';
import { rangeOf } from '../schema/ranges.ts';
import { mayBeReflexive } from '../schema/self-loops.ts';
import { fastExp } from './fast-exp.ts';
import {
  featureAt,
  type HeadFeatures,
  headFeatures,
  mapRuns,
  neighboursFeature,
  rangeFeature,
  ruleFeature,
  scale,
  shareBaseOf,
  tailOccurrences,
} from './features.ts';
import { namedTails } from './link-evidence.ts';
import { type LinkWeights, weightsOf } from './link-weights.ts';
import { missingHeads, missingTail, recordedShift } from './missing-tails.ts';

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

/** How many bytes of weighted features of relations are kept. */
const mostBytes = 2 ** 26;

/** Of every entity as a tail of a relation: what is added to its logit, and `shareBase`. */
interface TailTerms {
  readonly logits: Float32Array;
  readonly shareBase: Float32Array;
  /** By `recordedShift`; undefined where s' is 0. */
  readonly shifts: Float32Array | undefined;
}

/**
 * (9) The degree of a link: the probability that its evidence has together.
 *
 * `μ_hr(e) = 1` where (h, r, e) is recorded, 0.999 where a declared axiom entails it, 0 where e = h and r has no recorded self loop, and elsewhere
 * `min(0.999, σ(w_r · x(h, r, e) + ln((1 − s') / (1 − s' m(h, r, e)))))` with the features x of `featureNames` and m of `missing-tails`, the greater of
 * both directions.
 *
 * Time a row: |E|, and what rules and similar heads take. Memory: 8 to 12 bytes an entity for each relation in use, up to 64 MiB.
 */
export function createLinkDegrees(state: LinkState): LinkDegrees {
  const { facts, rules, weights, scores, entailed, recordedShare = 0 } = state;
  const { entityCount } = facts;
  const terms = createTailTerms(facts, weights, recordedShare);
  const judge = (row: Float32Array, head: number, relation: number): void => {
    const of = weightsOf(weights, relation);
    const { logits, shareBase, shifts } = terms(relation);
    const recorded = facts.tails(head, relation);
    const closed = mayBeReflexive(facts, relation) ? recorded : Int32Array.of(head, ...recorded);
    let constant = headTerms(of, headFeatures(facts, head, relation, weights));
    let slope = 0;
    if (weights.temperature !== null) {
      const share = of[featureAt.share]! / scale;
      constant -= share * shareNormaliser(row, weights.temperature, shareBase, closed);
      slope = share * weights.temperature;
    }
    addTerms(row, slope, constant, logits);
    if (shifts !== undefined)
      addShifts(row, recordedShift(recordedShare, missingTail(facts, head, relation, weights)), shifts);
    addNamed(row, of, namedTails(facts, rules, head, relation));
    squash(row);
    for (const id of closed) row[id] = 0;
    for (const tail of entailed?.tails(head, relation) ?? []) row[tail] = highestPredicted;
    for (const tail of recorded) row[tail] = 1;
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
function addTerms(row: Float32Array, slope: number, constant: number, logits: Float32Array): void {
  for (let id = 0; id < row.length; id += 1) row[id] = slope * row[id]! + constant + logits[id]!;
}

/** Adds the greater shift of both directions, in place. */
function addShifts(row: Float32Array, ofHead: number, ofTails: Float32Array): void {
  for (let id = 0; id < row.length; id += 1) row[id]! += ofTails[id]! > ofHead ? ofTails[id]! : ofHead;
}

/** Makes degrees of logits, in place. */
function squash(row: Float32Array): void {
  for (let id = 0; id < row.length; id += 1) {
    const degree = 1 / (1 + fastExp(-row[id]!));
    row[id] = degree < highestPredicted ? degree : highestPredicted;
  }
}

/** The part of w · x that all entities share, but for the model's. */
function headTerms(weights: Float64Array, { tails, functional, domain }: HeadFeatures): number {
  return (
    weights[featureAt.constant]! +
    weights[featureAt.tails]! * tails +
    weights[featureAt.functional]! * functional +
    weights[featureAt.domain]! * domain
  );
}

/** Adds to logits what rules and similar heads say. */
function addNamed(
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

/**
 * L_hr: `ln Σ_e exp(τ s(e) + ln min(1, 4 ρ_r(e)))` over the entities that may be new tails; 0 where there are none.
 *
 * Shapes: s and `shareBase` [|E|]; `closed`, recorded tails and a head without self loops, any number.
 */
export function shareNormaliser(
  scores: Float32Array,
  temperature: number,
  shareBase: Float32Array,
  closed: Int32Array,
): number {
  // Recorded tails are few: their scores step aside.
  const kept = Array.from(closed, (id) => scores[id]!);
  for (const id of closed) scores[id] = Number.NEGATIVE_INFINITY;
  let top = Number.NEGATIVE_INFINITY;
  for (let id = 0; id < scores.length; id += 1) {
    const logit = temperature * scores[id]! + shareBase[id]!;
    if (logit > top) top = logit;
  }
  let sum = 0;
  for (let id = 0; id < scores.length; id += 1) {
    const logit = temperature * scores[id]! + shareBase[id]! - top;
    // Beyond that a term changes no digit of single precision.
    if (logit > -20) sum += fastExp(logit);
  }
  closed.forEach((id, i) => {
    scores[id] = kept[i]!;
  });
  return top === Number.NEGATIVE_INFINITY ? 0 : top + Math.log(sum);
}

/** The terms of relations, those that were used last kept. */
function createTailTerms(
  facts: KnowledgeGraph,
  weights: LinkWeights,
  recordedShare: number,
): (relation: number) => TailTerms {
  const most = Math.max(8, Math.floor(mostBytes / (12 * facts.entityCount)));
  const kept = new Map<number, TailTerms>();
  return (relation) => {
    const known = kept.get(relation);
    if (known !== undefined) {
      // A map keeps the order in which its entries were added: the first has not been used for longest.
      kept.delete(relation);
      kept.set(relation, known);
      return known;
    }
    const of = weightsOf(weights, relation);
    const ranges = rangeOf(facts, relation, weights);
    const { ids, frequency, unseen, inverseFunctional } = tailOccurrences(facts, relation);
    const share = weights.temperature === null ? 0 : of[featureAt.share]! / scale;
    const [ranged, often] = [of[featureAt.range]!, of[featureAt.frequency]!];
    const logits = mapRuns(
      ranges,
      (each) => share * shareBaseOf(each) + ranged * rangeFeature(each) + often * unseen,
    );
    const oneHead = of[featureAt.inverseFunctional]! * inverseFunctional;
    for (let i = 0; i < ids.length; i += 1) logits[ids[i]!]! += often * (frequency[i]! - unseen) + oneHead;
    const shifts =
      recordedShare === 0
        ? undefined
        : missingHeads(facts, relation, weights).map((each) => recordedShift(recordedShare, each));
    const made = { logits, shareBase: mapRuns(ranges, shareBaseOf), shifts };
    kept.set(relation, made);
    for (const oldest of kept.keys()) {
      if (kept.size <= most) break;
      kept.delete(oldest);
    }
    return made;
  };
}
