import type { KnowledgeGraph, Random } from '@fuzzqe/core';
import { topK } from '@fuzzqe/core/ranking';
import { type Calibration, defaultCalibration, exclusivityOf, shareCalibration } from '@fuzzqe/core/sets';
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
  /** How many links are drawn, at most. */
  readonly links: number;
  /** How many candidates of each. */
  readonly best: number;
  readonly random: Random;
  readonly onProgress?: (done: number, total: number) => void;
  /** Throws where the work is to end. */
  readonly check?: () => void;
}

/** The best candidates of drawn links (h, r) that have a held-out fact, with the number of links. */
export async function linkCandidates(
  options: CandidateOptions,
): Promise<{ readonly links: number; readonly candidates: readonly LinkCandidate[] }> {
  const { sets, recorded, random, best, onProgress, check } = options;
  const drawn = drawLinks(options.heldOut, recorded, options.links, random);
  const calibration: Calibration = shareCalibration(defaultCalibration.temperature);
  const partitions = await sets.partitions(calibration.temperature);
  const score = sets.score(calibration, partitions);
  const candidates: LinkCandidate[] = [];
  for (let start = 0; start < drawn.length; start += linksAtOnce) {
    check?.();
    const some = drawn.slice(start, start + linksAtOnce);
    const heads = Int32Array.from(some, ({ head }) => head);
    const relations = Int32Array.from(some, ({ relation }) => relation);
    const shares = await score(structureOf<string>('1p'), heads, relations, some.length);
    some.forEach(({ head, relation, facts }, row) => {
      const ofLink = shares.subarray(row * recorded.entityCount, (row + 1) * recorded.entityCount);
      const tails = recorded.tails(head, relation);
      const rivals = exclusivityOf({ exclusivity: 1 }, recorded, relation);
      // Below all shares, which are above 0.
      for (const tail of tails) ofLink[tail] = 0;
      const found = topK(ofLink, Math.min(best, recorded.entityCount - tails.length));
      found.ids.forEach((id, place) => {
        const cosine = (Math.log(found.scores[place]!) + partitions[relation]!) / calibration.temperature;
        // Relations 2k and 2k + 1 are each other's inverse.
        const exclusivity = recorded.tails(id, relation ^ 1).length === 0 ? 1 : rivals;
        candidates.push({
          ...{ relation, tails: tails.length, exclusivity, place, cosine },
          isFact: facts.has(id),
        });
      });
    });
    onProgress?.(start + some.length, drawn.length);
  }
  return { links: drawn.length, candidates };
}

const linksAtOnce = 64;

interface DrawnLink {
  readonly head: number;
  readonly relation: number;
  readonly facts: Set<number>;
}

function drawLinks(heldOut: Int32Array, recorded: KnowledgeGraph, most: number, random: Random): DrawnLink[] {
  const byLink = new Map<number, DrawnLink>();
  const add = (head: number, relation: number, tail: number): void => {
    if (recorded.has(head, relation, tail)) return;
    const key = head * recorded.relationCount + relation;
    const link = byLink.get(key) ?? { head, relation, facts: new Set<number>() };
    link.facts.add(tail);
    byLink.set(key, link);
  };
  for (let i = 0; i < heldOut.length; i += 3) {
    const [head, relation, tail] = [heldOut[i]!, heldOut[i + 1]!, heldOut[i + 2]!];
    add(head, relation, tail);
    // Relations 2k and 2k + 1 are each other's inverse.
    add(tail, relation ^ 1, head);
  }
  const all = [...byLink.values()];
  const count = Math.min(most, all.length);
  for (let i = 0; i < count; i += 1) {
    const other = i + random.below(all.length - i);
    [all[i], all[other]] = [all[other]!, all[i]!];
  }
  return all.slice(0, count);
}
