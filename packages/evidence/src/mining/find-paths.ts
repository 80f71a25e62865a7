import type { AdjacencyIndex, Random } from '@fuzzqe/core';
import { drawPlaces } from './draw-places.ts';
import type { MiningSizes } from './mining-sizes.ts';
import { firstEdgeTo, mayBeRelated, type NeighbourIndex } from './neighbour-index.ts';
import type { TupleCounts } from './tuple-counts.ts';

/** Some edges of an entity: relations and tails, `count` of them. */
interface SomeEdges {
  relations: Int32Array;
  tails: Int32Array;
  count: number;
}

/** Counts the paths between the ends of facts. */
export interface PathFinder {
  /**
   * Counts, for paths of 1 to 3 relations, for how many of some drawn facts of a relation they lead from head to tail through distinct
   * entities. The relation itself is left out, and so are the facts whose head is their tail.
   *
   * Returns whether nothing was left undrawn. `counts` has (r₁, r₂, r₃), −1 behind the end of a path.
   */
  count(
    relation: number,
    sizes: Pick<MiningSizes, 'facts' | 'edges'>,
    random: Random,
    counts: TupleCounts,
  ): boolean;
}

/** Makes a finder of paths, whose arrays are used again. */
export function createPathFinder(index: AdjacencyIndex, neighbours: NeighbourIndex): PathFinder {
  const { headOffsets, groupOffsets } = index;
  const from: SomeEdges = { relations: new Int32Array(), tails: new Int32Array(), count: 0 };
  const back: SomeEdges = { relations: new Int32Array(), tails: new Int32Array(), count: 0 };
  let places = new Int32Array();
  const endOf = (entity: number): number => groupOffsets[headOffsets[entity + 1]!]!;
  const firstOf = (entity: number): number => groupOffsets[headOffsets[entity]!]!;

  const countBetween = (x: number, y: number, relation: number, counts: TupleCounts): void => {
    const { tails, relations } = neighbours;
    counts.nextGroup();
    const endOfX = endOf(x);
    for (let edge = firstEdgeTo(neighbours, firstOf(x), endOfX, y); edge < endOfX; edge++) {
      if (tails[edge] !== y) break;
      if (relations[edge] !== relation) counts.add(relations[edge]!, -1, -1);
    }
    for (let i = 0; i < from.count; i++) {
      const z = from.tails[i]!;
      if (z === x || z === y) continue;
      const first = from.relations[i]!;
      const [start, end] = [firstOf(z), endOf(z)];
      if (mayBeRelated(neighbours, z, y))
        for (let edge = firstEdgeTo(neighbours, start, end, y); edge < end && tails[edge] === y; edge++)
          counts.add(first, relations[edge]!, -1);
      for (let j = 0; j < back.count; j++) {
        const w = back.tails[j]!;
        if (!mayBeRelated(neighbours, z, w) || w === x || w === y || w === z) continue;
        const third = back.relations[j]! ^ 1;
        for (let edge = firstEdgeTo(neighbours, start, end, w); edge < end && tails[edge] === w; edge++)
          counts.add(first, relations[edge]!, third);
      }
    }
  };

  return {
    count(relation, sizes, random, counts) {
      const { relationOffsets, relationGroups, relationHeads, tails } = index;
      const [first, last] = [relationOffsets[relation]!, relationOffsets[relation + 1]!];
      let facts = 0;
      for (let i = first; i < last; i++) facts += sizeOf(index, relationGroups[i]!);
      if (places.length < sizes.facts) places = new Int32Array(sizes.facts);
      const drawn = drawPlaces(random, facts, sizes.facts, places);
      let whole = drawn === facts;
      let before = 0;
      for (let at = 0, i = first; at < drawn; at++) {
        const place = places[at]!;
        while (place >= before + sizeOf(index, relationGroups[i]!))
          before += sizeOf(index, relationGroups[i++]!);
        const x = relationHeads[i]!;
        const y = tails[groupOffsets[relationGroups[i]!]! + place - before]!;
        if (x === y) continue;
        whole = drawEdges(index, x, sizes.edges, random, from) && whole;
        whole = drawEdges(index, y, sizes.edges, random, back) && whole;
        countBetween(x, y, relation, counts);
      }
      return whole && !counts.isFull;
    },
  };
}

function sizeOf({ groupOffsets }: AdjacencyIndex, group: number): number {
  return groupOffsets[group + 1]! - groupOffsets[group]!;
}

/** Draws edges of an entity; returns whether these are all. */
function drawEdges(
  { headOffsets, groupRelations, groupOffsets, tails }: AdjacencyIndex,
  entity: number,
  most: number,
  random: Random,
  into: SomeEdges,
): boolean {
  let group = headOffsets[entity]!;
  const first = groupOffsets[group]!;
  const degree = groupOffsets[headOffsets[entity + 1]!]! - first;
  if (into.tails.length < most) {
    into.tails = new Int32Array(most);
    into.relations = new Int32Array(most);
  }
  into.count = drawPlaces(random, degree, most, into.tails);
  for (let i = 0; i < into.count; i++) {
    const edge = first + into.tails[i]!;
    while (edge >= groupOffsets[group + 1]!) group++;
    into.relations[i] = groupRelations[group]!;
    into.tails[i] = tails[edge]!;
  }
  return into.count === degree;
}
