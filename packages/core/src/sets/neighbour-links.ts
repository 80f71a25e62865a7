import { headOfGroup } from '../kg/adjacency.ts';
import type { EntityId } from '../kg/ids.ts';
import { keptByIndex } from '../kg/kept-by-index.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import type { SetsState } from './answer-sets.ts';
import { type Calibration, certain } from './calibration.ts';
import { exclusivityOf } from './exclusivity.ts';
import type { Members } from './members.ts';
import { bySimilarity, nearestHeads } from './nearest-heads.ts';
import type { SetLogic } from './set-logic.ts';

/** Entities with a degree above 0, the others having none. */
export interface SparseSet {
  /** [n], ascending. */
  readonly ids: Int32Array;
  /** [n] */
  readonly degrees: Float32Array;
}

const none: SparseSet = { ids: new Int32Array(), degrees: new Float32Array() };

/**
 * ν_hr of (9): what the recorded links of similar heads say of a link (h, r).
 *
 * `ν_hr(e) = min(cap, w_ν κ_r w max(n_hr, 1)^a c(e) / Σ_e' c(e'))`, `c(e) = Σ_{h': (h', r, e) recorded} cos²(h, h')`, over the e that are not recorded
 * for (h, r); h' are the 64 heads of r whose attributes are most similar to those of h, as many of these as
 * have at most 2¹⁴ tails together. So it is what (9) expects of tails
 * beyond the recorded ones, times w_ν, in the shares that the neighbours give; what they name has a recorded head, so κ_r counts.
 * Shapes: → at most |E|. Ranges: (0, cap], in single precision.
 * Source: k nearest neighbours, weighted by similarity; on attributes of entities Das et al., AKBC 2020.
 */
export function neighbourLinks(
  calibration: NeighbourCalibration,
  { facts, counts = facts }: NeighbourFacts,
  head: number,
  relation: number,
): SparseSet {
  const { neighbourWeight, cap } = calibration;
  if (neighbourWeight === 0) return none;
  const { ids, shares } = neighbourVotes(facts, head, relation);
  const factor = exclusivityOf(calibration, counts, relation);
  const expected = tailsByNeighbours(calibration, factor, counts.tails(head, relation).length);
  const highestDegree = Math.fround(cap);
  const degrees = new Float32Array(shares.length);
  for (let i = 0; i < shares.length; i += 1) degrees[i] = Math.min(highestDegree, expected * shares[i]!);
  return { ids, degrees };
}

/**
 * How many tails beyond the recorded ones neighbours speak for, of which ν gives each entity its share: `w_ν κ_r w max(n_hr, 1)^a`.
 *
 * `factor` is κ_r.
 */
export function tailsByNeighbours(
  { neighbourWeight, weight, exponent }: Pick<Calibration, 'neighbourWeight' | 'weight' | 'exponent'>,
  factor: number,
  recorded: number,
): number {
  const tails = Math.max(recorded, 1);
  return neighbourWeight * factor * weight * tails ** exponent;
}

/** What neighbours are asked about and how much they count. */
type NeighbourCalibration = Pick<
  Calibration,
  'neighbourWeight' | 'exclusivity' | 'weight' | 'exponent' | 'cap'
>;
type NeighbourFacts = Pick<SetsState, 'facts' | 'counts'>;

/** Shares, which add up to 1, by ascending ids. Shapes: [n] each. */
interface Votes {
  readonly ids: Int32Array;
  readonly shares: Float32Array;
}

/** How many numbers of votes are kept for a graph: hubs are asked again and again. */
const mostKept = 2 ** 18;

interface CountedVotes {
  readonly votes: Map<string, Votes>;
  /** How many numbers `votes` holds. */
  numbers: number;
  /** [|E|], zeros between two counts. */
  readonly sums: Float64Array;
}

const countedVotes = keptByIndex(
  ({ headOffsets }): CountedVotes => ({
    votes: new Map(),
    numbers: 0,
    sums: new Float64Array(headOffsets.length - 1),
  }),
);

function neighbourVotes(
  facts: Pick<KnowledgeGraph, 'index' | 'tails'>,
  head: number,
  relation: number,
): Votes {
  const known = countedVotes(facts.index);
  const key = `${head} ${relation}`;
  const earlier = known.votes.get(key);
  if (earlier !== undefined) {
    // A map keeps the order in which its entries were added: the first has not been used for longest.
    known.votes.delete(key);
    known.votes.set(key, earlier);
    return earlier;
  }
  const votes = countVotes(facts, head, relation, known.sums);
  known.votes.set(key, votes);
  known.numbers += votes.ids.length + 1;
  for (const [oldest, { ids }] of known.votes) {
    if (known.numbers <= mostKept) break;
    known.votes.delete(oldest);
    known.numbers -= ids.length + 1;
  }
  return votes;
}

function countVotes(
  { index, tails: recordedTails }: Pick<KnowledgeGraph, 'index' | 'tails'>,
  head: number,
  relation: number,
  sums: Float64Array,
): Votes {
  const { groupOffsets, tails } = index;
  const { groups, cosines } = nearestHeads(index, head, relation);
  let links = 0;
  for (const group of groups) links += groupOffsets[group + 1]! - groupOffsets[group]!;
  const named = new Int32Array(links);
  let count = 0;
  for (let i = 0; i < groups.length; i += 1) {
    const group = groups[i]!;
    const weight = cosines[i]! ** 2;
    for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge += 1) {
      const tail = tails[edge]!;
      if (sums[tail] === 0) named[count++] = tail;
      sums[tail]! += weight;
    }
  }
  for (const tail of recordedTails(head, relation)) sums[tail] = 0;
  let kept = 0;
  for (let i = 0; i < count; i += 1) if (sums[named[i]!]! > 0) named[kept++] = named[i]!;
  const ids = named.slice(0, kept).sort();
  let total = 0;
  for (let i = 0; i < kept; i += 1) total += sums[ids[i]!]!;
  const shares = new Float32Array(kept);
  for (let i = 0; i < kept; i += 1) {
    shares[i] = sums[ids[i]!]! / total;
    sums[ids[i]!] = 0;
  }
  return { ids, shares };
}

/** Names some heads that are similar to that of a link and have the same tail recorded, the most similar first. */
export type NameNeighbours = (tail: number) => readonly EntityId[];

/** How many of them say enough. */
const mostNamed = 3;

/**
 * Which neighbours speak for a link (h, r, e), of those that ν_hr is made of.
 *
 * Shapes: → at most 3, none where the weight is 0.
 */
export function namedNeighbours(
  { neighbourWeight }: Pick<Calibration, 'neighbourWeight'>,
  { index, has }: Pick<KnowledgeGraph, 'index' | 'has'>,
  head: number,
  relation: number,
): NameNeighbours {
  if (neighbourWeight === 0) return () => [];
  const { groups, cosines } = nearestHeads(index, head, relation);
  const heads = Array.from(bySimilarity(cosines), (i) => headOfGroup(index, groups[i]!));
  // Heads are entities of the graph.
  return (tail) =>
    heads.filter((other) => other !== head && has(other, relation, tail)).slice(0, mostNamed) as EntityId[];
}

/** Whether the neighbours of a member of a set are asked: to ask those of others, which are many, says no more of its projection. */
export const asksNeighbours = (membership: number): boolean => membership >= certain;

/**
 * N_r of (10): what the neighbours of certain members say of the projection of a set, `N_r(S)(e) = max_{m: S(m) ≥ 0.95} S(m) ∧ ν_mr(e)`.
 *
 * Shapes: members [m] → at most |E|. Ranges: (0, cap].
 */
export function neighbourSet(
  logic: Pick<SetLogic, 'and'>,
  calibration: NeighbourCalibration,
  facts: NeighbourFacts,
  { ids: heads, degrees: membership }: Members,
  relation: number,
): SparseSet {
  if (calibration.neighbourWeight === 0) return none;
  const best = new Map<number, number>();
  heads.forEach((head, m) => {
    if (!asksNeighbours(membership[m]!)) return;
    const { ids, degrees } = neighbourLinks(calibration, facts, head, relation);
    const reached = logic.and(new Float32Array(ids.length).fill(membership[m]!), degrees);
    for (let i = 0; i < ids.length; i += 1)
      if (reached[i]! > (best.get(ids[i]!) ?? 0)) best.set(ids[i]!, reached[i]!);
  });
  const ids = Int32Array.from(best.keys()).sort();
  return { ids, degrees: Float32Array.from(ids, (id) => best.get(id)!) };
}

/**
 * Joins degrees with what neighbours say, in place: `max(a, min(cap, a ∨ ν))`. So neighbours raise no degree above the cap.
 *
 * Shapes: degrees [|E|].
 */
export function joinNeighbours(
  logic: Pick<SetLogic, 'or'>,
  { cap }: Pick<Calibration, 'cap'>,
  degrees: Float32Array,
  { ids, degrees: added }: SparseSet,
): void {
  if (ids.length === 0) return;
  const before = new Float32Array(ids.length);
  for (let i = 0; i < ids.length; i += 1) before[i] = degrees[ids[i]!]!;
  const joined = logic.or(before, added);
  const highestDegree = Math.fround(cap);
  for (let i = 0; i < ids.length; i += 1)
    degrees[ids[i]!] = Math.max(before[i]!, Math.min(highestDegree, joined[i]!));
}
