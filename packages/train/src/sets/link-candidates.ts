import type { KnowledgeGraph, Random } from '@fuzzqe/core';
import { topK } from '@fuzzqe/core/ranking';
import { exclusivityOf, neighbourLinks, shareCalibration } from '@fuzzqe/core/sets';
import { structureOf } from '@fuzzqe/data';
import type { SetsScorer } from './sets-scorer.ts';

/** An entity as a candidate for the tail of a link, not recorded there. */
export interface LinkCandidate {
  readonly relation: number;
  /** n_hr: how many tails of the link are recorded. */
  readonly tails: number;
  /** κ_r(e) with λ = 1. */
  readonly exclusivity: number;
  /** Its place among the candidates of its link, from 0. */
  readonly place: number;
  /** cos(P_r(p_h), p_e) */
  readonly cosine: number;
  /** c(e) / Σ_e' c(e') of ν in (9): the share that neighbours give it, 0 where they name others or none. */
  readonly neighbourShare: number;
  /** Whether its fact was held out. */
  readonly isFact: boolean;
}

/** Which candidates to take. */
export interface CandidateOptions {
  readonly sets: SetsScorer;
  /** What is recorded, as `sets` has it. */
  readonly recorded: KnowledgeGraph;
  /** Facts that are not recorded: flat h, r, t. Their links are taken in both directions. */
  readonly heldOut: Int32Array;
  /** Facts that are known though `sets` does not have them, and so no candidates: flat h, r, t. Default: none. */
  readonly known?: Int32Array;
  /** How many links are drawn, at most. */
  readonly links: number;
  /** How many candidates of each. */
  readonly best: number;
  readonly random: Random;
  readonly onProgress?: (done: number, total: number) => void;
  /** Throws where the work is to end. */
  readonly check?: () => void;
}

/**
 * Cosines are read off shares at this temperature, at which those of steep models are in the range of single precision, and those of others
 * as exact as at any.
 */
export const candidateTemperature = 0.5;
/** With it ν of (9) is the share that neighbours give. */
const neighbourShares = { neighbourWeight: 1, weight: 1, exponent: 0, exclusivity: 0, cap: 1 };

/** The best candidates of drawn links (h, r) that have a held-out fact, with the number of links. */
export async function linkCandidates(
  options: CandidateOptions,
): Promise<{ readonly links: number; readonly candidates: readonly LinkCandidate[] }> {
  const { sets, recorded, best, onProgress, check } = options;
  const { entityCount } = recorded;
  const drawn = drawLinks(
    options,
    Math.min(options.links, Math.max(leastLinks, Math.floor(scored / entityCount))),
  );
  const linksAtOnce = Math.max(1, Math.min(mostAtOnce, Math.floor(scoresAtOnce / entityCount)));
  const calibration = shareCalibration(candidateTemperature);
  const partitions = await sets.partitions(candidateTemperature);
  const score = sets.score(calibration, partitions);
  const candidates: LinkCandidate[] = [];
  for (let start = 0; start < drawn.length; start += linksAtOnce) {
    check?.();
    const some = drawn.slice(start, start + linksAtOnce);
    const heads = Int32Array.from(some, ({ head }) => head);
    const relations = Int32Array.from(some, ({ relation }) => relation);
    const shares = await score(structureOf<string>('1p'), heads, relations, some.length);
    some.forEach(({ head, relation, facts, known }, row) => {
      const ofLink = shares.subarray(row * recorded.entityCount, (row + 1) * recorded.entityCount);
      const tails = recorded.tails(head, relation);
      const rivals = exclusivityOf({ exclusivity: 1 }, recorded, relation);
      // Below all shares, which are above 0.
      for (const tail of tails) ofLink[tail] = 0;
      for (const tail of known) ofLink[tail] = 0;
      const named = neighbourLinks(neighbourShares, { facts: recorded }, head, relation);
      const neighbours = new Map(Array.from(named.ids, (id, i) => [id, named.degrees[i]!]));
      const found = topK(ofLink, Math.min(best, entityCount - tails.length - known.size));
      found.ids.forEach((id, place) => {
        const cosine = (Math.log(found.scores[place]!) + partitions[relation]!) / candidateTemperature;
        // Relations 2k and 2k + 1 are each other's inverse.
        const exclusivity = recorded.tails(id, relation ^ 1).length === 0 ? 1 : rivals;
        candidates.push({
          ...{ relation, tails: tails.length, exclusivity, place, cosine },
          ...{ neighbourShare: neighbours.get(id) ?? 0, isFact: facts.has(id) },
        });
      });
    });
    onProgress?.(start + some.length, drawn.length);
  }
  return { links: drawn.length, candidates };
}

/** How many links are scored at once: a quarter of a GiB of scores, or one link. */
const mostAtOnce = 64;
const scoresAtOnce = 2 ** 26;
/** How many scores may be computed, by which fewer links are drawn of more entities, and how many are drawn in any case. */
const scored = 2 ** 30;
const leastLinks = 200;
/** Of more held-out facts than this, links are chosen by their hash before they are gathered. */
const mostGathered = 2 ** 20;

interface DrawnLink {
  readonly head: number;
  readonly relation: number;
  readonly facts: Set<number>;
  readonly known: Set<number>;
}

function drawLinks({ heldOut, known, recorded, random }: CandidateOptions, most: number): DrawnLink[] {
  const facts = heldOut.length / 3;
  // Four times as many as are drawn, where every fact has links of its own.
  const share = facts <= mostGathered ? 1 : Math.min(1, (2 * most) / facts);
  const salt = random.fork('links').uint32();
  const byLink = new Map<number, DrawnLink>();
  const keyOf = (head: number, relation: number): number => head * recorded.relationCount + relation;
  const add = (head: number, relation: number, tail: number): void => {
    if (share < 1 && hashOf(head, relation, salt) >= share) return;
    if (recorded.has(head, relation, tail)) return;
    const key = keyOf(head, relation);
    const link = byLink.get(key) ?? { head, relation, facts: new Set<number>(), known: new Set<number>() };
    link.facts.add(tail);
    byLink.set(key, link);
  };
  forBothDirections(heldOut, add);
  if (known !== undefined)
    forBothDirections(known, (head, relation, tail) => {
      const link = byLink.get(keyOf(head, relation));
      if (link === undefined) return;
      link.known.add(tail);
      link.facts.delete(tail);
    });
  const all = [...byLink.values()].filter((link) => link.facts.size > 0);
  const count = Math.min(most, all.length);
  for (let i = 0; i < count; i += 1) {
    const other = i + random.below(all.length - i);
    [all[i], all[other]] = [all[other]!, all[i]!];
  }
  return all.slice(0, count);
}

function forBothDirections(
  triples: Int32Array,
  visit: (head: number, relation: number, tail: number) => void,
): void {
  for (let i = 0; i < triples.length; i += 3) {
    const [head, relation, tail] = [triples[i]!, triples[i + 1]!, triples[i + 2]!];
    visit(head, relation, tail);
    // Relations 2k and 2k + 1 are each other's inverse.
    visit(tail, relation ^ 1, head);
  }
}

/** A number in [0, 1) for a link: the finaliser of MurmurHash3. */
function hashOf(head: number, relation: number, salt: number): number {
  let hash = Math.imul(head, 0x9e3779b1) ^ Math.imul(relation + 1, 0x85ebca77) ^ salt;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
