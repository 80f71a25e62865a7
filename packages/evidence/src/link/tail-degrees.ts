import { confidencesOf, rejectedTails } from '@fuzzqe/core';
import { highestPredicted, type LinkTails } from '@fuzzqe/core/sets';
import { type RangeTable, rangeTable } from '../schema/ranges.ts';
import { mayBeReflexive } from '../schema/self-loops.ts';
import { fastExp } from './fast-exp.ts';
import { featureAt, headFeatures, scale } from './features.ts';
import {
  addNamed,
  addTerms,
  createTailTerms,
  headTerms,
  type LinkState,
  shareNormaliser,
  squash,
  type TailTerms,
} from './link-degrees.ts';
import { namedTails } from './link-evidence.ts';
import { weightsOf } from './link-weights.ts';
import { missingTail, recordedShift } from './missing-tails.ts';

/** The model's scores s(e) of links and of some tails. Shapes: heads and relations [m], ids [n] → [m, n], the caller's own. */
export type TailScores = (heads: Int32Array, relations: Int32Array, ids: Int32Array) => Promise<Float32Array>;

/** What tails are judged by: with a temperature. */
export interface LikelyState extends Omit<LinkState, 'scores'> {
  readonly scores: TailScores;
}

/** For how many relations and counts likely tails are kept, some 35 KB each. */
const mostKept = 256;

/** How many entities stand for all that are no likely tails. */
const samples = 1024;

/** The tails that are likely whatever the head is, and a sample of the others. */
interface LikelyTails {
  /** [n]: the likely ones, then the sample. */
  readonly ids: Int32Array;
  /** How many are likely. */
  readonly likely: number;
  /** Σ min(1, 4 ρ_r(e)) over all entities that are not likely. */
  readonly restMass: number;
}

/**
 * (9) The degrees of the likely tails of links.
 *
 * Likely tails of a relation are those to which the schema gives the highest logits: ranges, and how often an entity is a tail. Tails that rules, similar
 * heads, axioms or facts name for a link are added. Every other entity has the mean degree of
 * these entities, which a sample in the proportion of min(1, 4 ρ_r(e)) estimates.
 * The same sample estimates what these entities add to L_hr.
 *
 * Time a link: its likely tails, and what rules and similar heads take. Memory: 4 bytes a likely tail for 256 relations, 4 bytes an entity.
 */
export function createTailDegrees(state: LikelyState): LinkTails {
  const { facts, weights, rules, entailed, scores, recordedShare = 0 } = state;
  const { entityCount, confidences } = facts;
  const temperature = weights.temperature ?? 0;
  const terms = createTailTerms(facts, weights, recordedShare);
  /** One more than the place of each entity among those that are asked for; 0 of others. */
  const places = new Int32Array(entityCount);
  const kept = new Map<string, LikelyTails>();
  const likelyOf = (relation: number, count: number): LikelyTails => {
    const key = `${relation} ${count}`;
    const made =
      kept.get(key) ?? likelyTails(rangeTable(facts, relation, weights), terms(relation), count, entityCount);
    kept.delete(key);
    kept.set(key, made);
    if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
    return made;
  };
  return {
    async tails(heads, relation, { count, also }) {
      const { ids: base, likely, restMass } = likelyOf(relation, count);
      const { codes, values } = rangeTable(facts, relation, weights);
      const more: Int32Array[] = [heads, also];
      const namedOf = Array.from(heads, (head) => namedTails(facts, rules, head, relation));
      heads.forEach((head, i) => {
        more.push(facts.tails(head, relation), namedOf[i]!.ids, entailed?.tails(head, relation) ?? none);
        more.push(Int32Array.from(rejectedTails(confidences, head, relation)));
      });
      const ids = joinedIds(base, more, places);
      const { length } = ids;
      const found = await scores(heads, new Int32Array(heads.length).fill(relation), ids);
      const ofIds = new (codes instanceof Uint16Array ? Uint16Array : Uint32Array)(length);
      for (let i = 0; i < length; i += 1) ofIds[i] = codes[ids[i]!]!;
      let mass = restMass;
      for (let i = likely; i < length; i += 1) mass -= massOf(values[ofIds[i]!]!);
      /** L_hr of all entities, from that of the judged ones. */
      const withRest = (row: Float32Array, ofRow: number): number => {
        let [sum, open] = [0, 0];
        for (let i = likely; i < base.length; i += 1) {
          if (row[i] === Number.NEGATIVE_INFINITY) continue;
          sum += fastExp(temperature * row[i]! - ofRow);
          open += 1;
        }
        return open === 0 ? ofRow : ofRow + Math.log1p((Math.max(0, mass) * sum) / open);
      };
      for (let i = 0; i < length; i += 1) places[ids[i]!] = i + 1;
      const at = (id: number): number => places[id]! - 1;
      const of = weightsOf(weights, relation);
      const share = of[featureAt.share]! / scale;
      const { logits, shareBase, shifts, ids: tails, added } = terms(relation);
      const background = new Float32Array(heads.length);
      heads.forEach((head, i) => {
        const row = found.subarray(i * length, (i + 1) * length);
        const recorded = Int32Array.from(facts.tails(head, relation), at);
        const closed = mayBeReflexive(facts, relation) ? recorded : Int32Array.of(at(head), ...recorded);
        // A tail that cannot be new stands for no other entity: its degree is set below.
        for (const place of closed) row[place] = Number.NEGATIVE_INFINITY;
        const ofRow = shareNormaliser(row, temperature, { codes: ofIds, shareBase }, none);
        const constant =
          headTerms(of, headFeatures(facts, head, relation, weights)) - share * withRest(row, ofRow);
        const ofHead =
          recordedShare === 0 ? 0 : recordedShift(recordedShare, missingTail(facts, head, relation, weights));
        const byCode = logits.map((each, code) => constant + each + Math.max(ofHead, shifts[code]!));
        addTerms(row, share * temperature, ofIds, byCode);
        for (let t = 0; t < tails.length; t += 1) {
          const place = at(tails[t]!);
          if (place >= 0) row[place]! += added[t]! + ofHead - Math.max(ofHead, shifts[ofIds[place]!]!);
        }
        const named = namedOf[i]!;
        addNamed(row, of, { ...named, ids: Int32Array.from(named.ids, at) });
        squash(row);
        for (const place of closed) row[place] = 0;
        for (const tail of entailed?.tails(head, relation) ?? none) row[at(tail)] = highestPredicted;
        for (const place of recorded) row[place] = 1;
        const { from, to } = confidencesOf(confidences, head, relation);
        for (let c = from; c < to; c += 1) row[at(confidences!.edges[3 * c + 2]!)] = confidences!.degrees[c]!;
        // The sample has entities in the proportion of their mass; the mean is that of entities.
        let [sum, shares] = [0, 0];
        for (let e = likely; e < base.length; e += 1) {
          const each = 1 / massOf(values[ofIds[e]!]!);
          sum += each * row[e]!;
          shares += each;
        }
        background[i] = shares === 0 ? 0 : sum / shares;
      });
      for (const id of ids) places[id] = 0;
      return { ids, degrees: found, background };
    },
  };
}

const none = new Int32Array();

/** The ids of a list and of more lists, each once, the first list first. `places` is 0 everywhere, and is again. */
function joinedIds(first: Int32Array, more: readonly Int32Array[], places: Int32Array): Int32Array {
  let most = first.length;
  for (const each of more) most += each.length;
  const ids = new Int32Array(most);
  ids.set(first);
  let count = first.length;
  for (const id of first) places[id] = 1;
  for (const each of more)
    for (const id of each)
      if (places[id] === 0) {
        places[id] = 1;
        ids[count] = id;
        count += 1;
      }
  for (let i = 0; i < count; i += 1) places[ids[i]!] = 0;
  return ids.subarray(0, count);
}

/** The `count` tails with the highest logits without a model and a head, and a sample of the others. */
function likelyTails(
  { codes, values }: RangeTable,
  { logits, ids: recorded, added }: TailTerms,
  count: number,
  entityCount: number,
): LikelyTails {
  const logit = new Float32Array(entityCount);
  for (let id = 0; id < entityCount; id += 1) logit[id] = logits[codes[id]!]!;
  recorded.forEach((id, i) => {
    logit[id]! += added[i]!;
  });
  const floor = floorOf(logit, codes, recorded, count);
  const ids = new Int32Array(Math.min(count, entityCount) + samples);
  let likely = 0;
  // Of those at the floor, which may be most of the graph, the first.
  for (let id = 0; id < entityCount; id += 1) if (logit[id]! > floor) ids[likely++] = id;
  for (let id = 0; id < entityCount && likely < count; id += 1) if (logit[id]! === floor) ids[likely++] = id;
  const isLikely = new Uint8Array(entityCount);
  for (let i = 0; i < likely; i += 1) isLikely[ids[i]!] = 1;
  let restMass = 0;
  for (let id = 0; id < entityCount; id += 1) if (isLikely[id] === 0) restMass += massOf(values[codes[id]!]!);
  // Systematic sampling, of which each entity comes at most once where its mass is below a step.
  const step = restMass / samples;
  let [reached, length] = [step / 2, likely];
  let mass = 0;
  // Neighbouring ids may be alike: a stride that is coprime to their number mixes them.
  const stride = strideOf(entityCount);
  for (let i = 0, id = 0; i < entityCount; i += 1, id = (id + stride) % entityCount) {
    if (isLikely[id] === 1) continue;
    mass += massOf(values[codes[id]!]!);
    if (mass <= reached || length === ids.length) continue;
    ids[length] = id;
    length += 1;
    while (reached < mass) reached += step;
  }
  return { ids: ids.slice(0, length), likely, restMass };
}

/** min(1, 4 ρ). */
const massOf = (range: number): number => Math.min(1, 4 * range);

/** The least logit of the `count` highest. Entities of one code have one logit, unless they are recorded tails. */
function floorOf(
  logit: Float32Array,
  codes: RangeTable['codes'],
  recorded: Int32Array,
  count: number,
): number {
  const ofCode = new Map<number, { logit: number; entities: number }>();
  const own = new Set(recorded);
  for (let id = 0; id < logit.length; id += 1) {
    const key = own.has(id) ? -1 - id : codes[id]!;
    const known = ofCode.get(key);
    if (known === undefined) ofCode.set(key, { logit: logit[id]!, entities: 1 });
    else known.entities += 1;
  }
  let above = 0;
  for (const each of [...ofCode.values()].sort((a, b) => b.logit - a.logit)) {
    above += each.entities;
    if (above >= count) return each.logit;
  }
  return Number.NEGATIVE_INFINITY;
}

/** A number near 0.618 of another and coprime to it. */
function strideOf(count: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  let stride = Math.max(1, Math.round(0.618 * count));
  while (divisor(stride, count) !== 1) stride += 1;
  return stride;
}
