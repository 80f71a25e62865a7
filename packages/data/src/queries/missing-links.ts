import { FuzzError, findGroup, type KnowledgeGraph, rowsOf } from '@fuzzqe/core';
import type { Template } from '@fuzzqe/core/query';
import { firstPlace, joinPlaces, lackedHalves } from './known-halves.ts';
import { queryRow, type SampledQueries } from './sampled-queries.ts';

/** What stands for a hard answer that the larger graph does not derive at all: the query is of another graph. */
export const noDerivation = 255;

/**
 * How many links are missing for each hard answer: the fewest edges that the smaller graph lacks, over all ways in
 * which the larger graph derives the answer.
 *
 * Formula, with c(q, t) the cost of t as an answer of q and [h r t] 1 where the smaller graph lacks the edge, else 0:
 * `c(e, e) = 0`, `c(P_r q, t) = min_h c(q, h) + [h r t]` over the edges of the larger graph, `c(and, t) = Σ c(operand, t)`,
 * `c(or, t) = min c(operand, t)`, and `c(not q, t) = 0` for what the larger graph does not derive of q. What is not
 * derived costs infinitely much.
 *
 * A negation costs nothing, since it asks for the absence of links, and what the larger graph lacks the smaller one
 * lacks, too. An edge that two operands use counts for each. Without a negation in a negation every hard answer has at
 * least one missing link; with one, an answer may be hard by what is excluded from an exclusion: 0.
 * Shapes: the result has a count for each of `queries.hard.ids`. Ranges: [0, 254], or `noDerivation`.
 * Source: the reduction types of "Is Complex Query Answering Really Complex?" (ICML 2025), as a number.
 */
export type MissingLinks = Uint8Array;

/**
 * Which half-links of its missing links the smaller graph has, for each hard answer: a place in `knownHalves`, or `noDerivation`.
 *
 * An answer has the half-links of heads if the smaller graph has (h, r) for each missing link (h, r, t) of the answer. It has the half-links of
 * tails if the smaller graph has each (r, t). The links are those of a derivation with the fewest missing links. Of several such derivations the
 * first in the order of `knownHalves` counts. An answer without a missing link has both.
 * Shapes: the result has a place for each of `queries.hard.ids`. Ranges: [0, 3], or `noDerivation`.
 * Source: the strata of half-links of Gregucci et al. (arXiv 2606.18001), for a link; for several links this is our extension.
 */
export type HalfLinks = Uint8Array;

/** Counts the missing links of queries between two graphs. */
export interface LinkCounter {
  /** @throws FuzzError `range`: a structure of more than 254 relations. */
  count(queries: SampledQueries<string>): MissingLinks;
  /** @throws FuzzError `range`: a structure of more than 254 relations. */
  halves(queries: SampledQueries<string>): HalfLinks;
}

/** The entities that derive something, each with its cost. */
interface CostSet {
  /** [entities]: `noDerivation` for what is not in the set. */
  readonly costs: Uint8Array;
  /** [entities]: of the cheapest derivations of a member, the places in `knownHalves` as bits. */
  readonly places: Uint8Array;
  /** The members, each once: costs[members[0 … size)]. */
  readonly members: Int32Array;
  size: number;
}

/** A counter for hard answers between two graphs; edges are compared once, here. */
export function createLinkCounter(smaller: KnowledgeGraph, larger: KnowledgeGraph): LinkCounter {
  const { index, entityCount } = larger;
  const missing = missingEdges(smaller, larger);
  // The set of depth d holds the partial result of the d-th operator that is still open.
  const scratch: CostSet[] = [];
  let anchors: ArrayLike<number> = [];
  let relations: ArrayLike<number> = [];

  const emptyAt = (depth: number): CostSet => {
    scratch[depth] ??= {
      costs: new Uint8Array(entityCount).fill(noDerivation),
      places: new Uint8Array(entityCount),
      members: new Int32Array(entityCount),
      size: 0,
    };
    const set = scratch[depth];
    for (let i = 0; i < set.size; i++) set.costs[set.members[i]!] = noDerivation;
    set.size = 0;
    return set;
  };

  const follow = (group: number, { costs, places }: CostSet, head: number, out: CostSet): void => {
    const end = index.groupOffsets[group + 1]!;
    for (let edge = index.groupOffsets[group]!; edge < end; edge++) {
      const lacked = missing[edge]!;
      if (lacked === 0) lower(out, index.tails[edge]!, costs[head]!, places[head]!);
      else lower(out, index.tails[edge]!, costs[head]! + 1, joinPlaces(places[head]!, lacked));
    }
  };

  const project = (from: CostSet, relation: number, out: CostSet): void => {
    const first = index.relationOffsets[relation]!;
    const last = index.relationOffsets[relation + 1]!;
    // Finding a member's edges is a binary search, some ten steps; looking a cost up is one.
    if (from.size * 8 < last - first) {
      for (let i = 0; i < from.size; i++) {
        const head = from.members[i]!;
        const group = findGroup(rowsOf(index), head, relation);
        if (group >= 0) follow(group, from, head, out);
      }
      return;
    }
    for (let place = first; place < last; place++) {
      const head = index.relationHeads[place]!;
      if (from.costs[head] !== noDerivation) follow(index.relationGroups[place]!, from, head, out);
    }
  };

  /** Leaves the costs of `template` in the scratch set of `depth`. */
  const solve = (template: Template, depth: number): CostSet => {
    switch (template.op) {
      case 'entity': {
        const out = emptyAt(depth);
        lower(out, anchors[template.anchor]!, 0, allHalves);
        return out;
      }
      case 'project': {
        const from = solve(template.from, depth + 1);
        const out = emptyAt(depth);
        project(from, relations[template.relation]!, out);
        return out;
      }
      case 'or': {
        const out = solve(template.operands[0]!, depth);
        for (const operand of template.operands.slice(1)) {
          const other = solve(operand, depth + 1);
          for (const entity of other.members.subarray(0, other.size))
            lower(out, entity, other.costs[entity]!, other.places[entity]!);
        }
        return out;
      }
      case 'not':
        return conjunction([template], depth);
      case 'and':
        return conjunction(template.operands, depth);
    }
  };

  const conjunction = (operands: readonly Template[], depth: number): CostSet => {
    const positive = operands.filter(({ op }) => op !== 'not');
    const out = positive.length === 0 ? emptyAt(depth) : solve(positive[0]!, depth);
    if (positive.length === 0)
      for (let entity = 0; entity < entityCount; entity++) lower(out, entity, 0, allHalves);
    for (const operand of positive.slice(1)) {
      const { costs, places } = solve(operand, depth + 1);
      keep(out, (entity, cost) => {
        if (costs[entity] === noDerivation) return noDerivation;
        out.places[entity] = joinPlaces(out.places[entity]!, places[entity]!);
        return cost + costs[entity]!;
      });
    }
    for (const operand of operands) {
      if (operand.op !== 'not') continue;
      const { costs } = solve(operand.operand, depth + 1);
      keep(out, (entity, cost) => (costs[entity] === noDerivation ? cost : noDerivation));
    }
    return out;
  };

  /** A number for each hard answer of queries. */
  const each = (
    queries: SampledQueries<string>,
    of: (set: CostSet, entity: number) => number,
  ): Uint8Array => {
    if (queries.shape.relations >= noDerivation)
      throw new FuzzError(
        'range',
        `structure: expected at most 254 relations, got ${queries.shape.relations}`,
      );
    const found = new Uint8Array(queries.hard.ids.length);
    for (let row = 0; row < queries.count; row++) {
      const query = queryRow(queries, row);
      ({ anchors, relations } = query);
      const set = solve(queries.shape.template, 0);
      const start = queries.hard.offsets[row]!;
      query.hard.forEach((entity, i) => {
        found[start + i] = of(set, entity);
      });
    }
    return found;
  };

  return {
    count: (queries) => each(queries, ({ costs }, entity) => costs[entity]!),
    halves: (queries) =>
      each(queries, ({ costs, places }, entity) =>
        costs[entity] === noDerivation ? noDerivation : firstPlace(places[entity]!),
      ),
  };
}

/** As bits, the place of a derivation without missing links: it lacks no half. */
const allHalves = 1;

/** Takes an entity into a set, or lowers its cost there; derivations of equal cost share their places. */
function lower(set: CostSet, entity: number, cost: number, places: number): void {
  const before = set.costs[entity]!;
  if (cost === before) set.places[entity]! |= places;
  if (cost >= before) return;
  if (before === noDerivation) set.members[set.size++] = entity;
  set.costs[entity] = cost;
  set.places[entity] = places;
}

/** Gives every member another cost; `noDerivation` takes it out. */
function keep(set: CostSet, costOf: (entity: number, cost: number) => number): void {
  let size = 0;
  for (let i = 0; i < set.size; i++) {
    const entity = set.members[i]!;
    const cost = costOf(entity, set.costs[entity]!);
    set.costs[entity] = cost;
    if (cost !== noDerivation) set.members[size++] = entity;
  }
  set.size = size;
}

/** [edges of the larger graph]: 0 for an edge of the smaller graph, otherwise the bit of its place in `knownHalves`. */
function missingEdges(smaller: KnowledgeGraph, larger: KnowledgeGraph): Uint8Array {
  const { headOffsets, groupRelations, groupOffsets, tails } = larger.index;
  const missing = new Uint8Array(tails.length);
  for (let head = 0; head < larger.entityCount; head++) {
    for (let group = headOffsets[head]!; group < headOffsets[head + 1]!; group++) {
      const known = smaller.tails(head, groupRelations[group]!);
      let next = 0;
      // Both lists ascend, so one pass over the two is enough.
      for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge++) {
        while (next < known.length && known[next]! < tails[edge]!) next++;
        if (known[next] !== tails[edge])
          missing[edge] = 1 << lackedHalves(smaller, head, groupRelations[group]!, tails[edge]!);
      }
    }
  }
  return missing;
}
