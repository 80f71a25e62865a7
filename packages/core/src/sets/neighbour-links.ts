import { type AdjacencyIndex, headOfGroup } from '../kg/adjacency.ts';
import type { EntityId } from '../kg/ids.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { topK } from '../ranking/top-k.ts';
import type { SetsState } from './answer-sets.ts';
import type { Calibration } from './calibration.ts';
import { exclusivityOf } from './exclusivity.ts';
import type { Members } from './members.ts';
import type { SetLogic } from './set-logic.ts';
import { similarities } from './similarities.ts';

/** Entities with a degree above 0, the others having none. */
export interface SparseSet {
  /** [n], ascending. */
  readonly ids: Int32Array;
  /** [n] */
  readonly degrees: Float32Array;
}

const none: SparseSet = { ids: new Int32Array(), degrees: new Float32Array() };

/** How many of the most similar heads of a relation are asked. */
const mostNeighbours = 64;

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
  const { neighbourWeight, weight, exponent, cap } = calibration;
  if (neighbourWeight === 0) return none;
  const { ids, shares } = neighbourVotes(facts, head, relation);
  const tails = Math.max(counts.tails(head, relation).length, 1);
  const factor = exclusivityOf(calibration, counts, relation);
  const expected = neighbourWeight * factor * weight * tails ** exponent;
  return { ids, degrees: shares.map((share) => Math.min(Math.fround(cap), Math.fround(expected * share))) };
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

/** Of how many recorded links neighbours may have together: a country has thousands of inhabitants. */
const mostTails = 2 ** 14;

/** How many numbers of votes are kept for a graph: hubs are asked again and again. */
const mostKept = 2 ** 18;

interface CountedVotes {
  readonly votes: Map<string, Votes>;
  /** How many numbers `votes` holds. */
  numbers: number;
  /** [|E|], zeros between two counts. */
  readonly sums: Float64Array;
}

const counted = new WeakMap<AdjacencyIndex, CountedVotes>();

function neighbourVotes(
  facts: Pick<KnowledgeGraph, 'index' | 'tails'>,
  head: number,
  relation: number,
): Votes {
  const { index } = facts;
  const known = counted.get(index) ?? {
    votes: new Map<string, Votes>(),
    numbers: 0,
    sums: new Float64Array(index.headOffsets.length - 1),
  };
  counted.set(index, known);
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
  const named: number[] = [];
  const { groups, weights } = nearestHeads(index, head, relation);
  groups.forEach((group, i) => {
    for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge += 1) {
      const tail = tails[edge]!;
      if (sums[tail] === 0) named.push(tail);
      sums[tail]! += weights[i]!;
    }
  });
  for (const tail of recordedTails(head, relation)) sums[tail] = 0;
  const ids = Int32Array.from(named.filter((tail) => sums[tail]! > 0)).sort();
  let total = 0;
  for (const id of ids) total += sums[id]!;
  const shares = Float32Array.from(ids, (id) => sums[id]! / total);
  for (const id of ids) sums[id] = 0;
  return { ids, shares };
}

interface NearestHeads {
  /** What each has recorded, as a group of the index; most similar first, ties to the lower id. */
  readonly groups: readonly number[];
  /** Their squared cosines. */
  readonly weights: readonly number[];
}

/** The heads of a relation that are most similar to an entity, which may be one of them: its own tails are recorded. */
function nearestHeads(index: AdjacencyIndex, head: number, relation: number): NearestHeads {
  const { relationOffsets, relationHeads, relationGroups, groupOffsets } = index;
  const [first, end] = [relationOffsets[relation]!, relationOffsets[relation + 1]!];
  if (first === end) return { groups: [], weights: [] };
  const cosines = similarities(index, head, relationHeads.subarray(first, end));
  const { ids, scores } = topK(cosines, Math.min(mostNeighbours, end - first));
  const similar = Array.from(ids).filter((_, i) => scores[i]! > 0);
  const nearest = similar.map((at) => relationGroups[first + at]!);
  let links = 0;
  const beyond = nearest.findIndex((group) => {
    links += groupOffsets[group + 1]! - groupOffsets[group]!;
    return links > mostTails;
  });
  return {
    groups: beyond < 0 ? nearest : nearest.slice(0, beyond),
    weights: Array.from(scores, (cosine) => cosine ** 2),
  };
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
  const { groups } = nearestHeads(index, head, relation);
  const heads = groups.map((group) => headOfGroup(index, group)).filter((other) => other !== head);
  // Heads are entities of the graph.
  return (tail) => heads.filter((other) => has(other, relation, tail)).slice(0, mostNamed) as EntityId[];
}

/**
 * N_r of (10): what the neighbours of members say of the projection of a set, `N_r(S)(e) = max_m S(m) ∧ ν_mr(e)`.
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
    const { ids, degrees } = neighbourLinks(calibration, facts, head, relation);
    const reached = logic.and(new Float32Array(ids.length).fill(membership[m]!), degrees);
    ids.forEach((id, i) => {
      const degree = reached[i]!;
      if (degree > (best.get(id) ?? 0)) best.set(id, degree);
    });
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
  const before = Float32Array.from(ids, (id) => degrees[id]!);
  const joined = logic.or(before, added);
  const highest = Math.fround(cap);
  ids.forEach((id, i) => {
    degrees[id] = Math.max(before[i]!, Math.min(highest, joined[i]!));
  });
}
