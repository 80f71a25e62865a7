import { type AdjacencyIndex, allocateIn, groupsByRelation, type IndexMemory } from './adjacency.ts';

/**
 * The adjacency index of facts that are in ascending order already, in half the passes that facts in any order take.
 *
 * Forwards they stand as they are; backwards two stable counting sorts put them by (tail, relation, head). Each head then has a
 * run of both kinds, which are merged by relation.
 * Ranges: h, r, t as `decodeFacts` returns them: r even, ascending, none twice. Time O(N + E + R). Memory apart from the index and
 * the triples: 6N bytes while it runs.
 */
export function buildAscendingAdjacency(
  entityCount: number,
  relationCount: number,
  triples: Int32Array,
  { shared = false }: IndexMemory = {},
): AdjacencyIndex {
  const allocate = allocateIn(shared);
  const count = triples.length / 3;
  const forwards = runsOf(triples, 0, entityCount);
  const backwards = runsOf(triples, 2, entityCount);
  const { heads, relations } = sortBackwards(triples, backwards, relationCount);
  const { headOffsets, groupCount } = countGroups(triples, forwards, backwards, relations, allocate);

  const groupRelations = allocate(groupCount);
  const groupOffsets = allocate(groupCount + 1);
  const tails = allocate(2 * count);
  let edge = 0;
  let group = 0;
  for (let head = 0; head < entityCount; head++) {
    let forward = forwards[head]!;
    let backward = backwards[head]!;
    const lastForward = forwards[head + 1]!;
    const lastBackward = backwards[head + 1]!;
    let last = -1;
    while (forward < lastForward || backward < lastBackward) {
      const own = forward < lastForward ? triples[3 * forward + 1]! : relationCount;
      const inverse = backward < lastBackward ? relations[backward]! + 1 : relationCount;
      const isForward = own < inverse;
      const relation = isForward ? own : inverse;
      if (relation !== last) {
        groupRelations[group] = relation;
        groupOffsets[group++] = edge;
        last = relation;
      }
      tails[edge++] = isForward ? triples[3 * forward++ + 2]! : heads[backward++]!;
    }
  }
  groupOffsets[groupCount] = edge;
  return {
    headOffsets,
    groupRelations,
    groupOffsets,
    tails,
    ...groupsByRelation(relationCount, headOffsets, groupRelations, allocate),
  };
}

/** Where the facts of each entity begin when sorted by it; `place` is where it stands in a fact. Shape: [E + 1]. */
function runsOf(triples: Int32Array, place: 0 | 1 | 2, bound: number): Int32Array {
  const offsets = new Int32Array(bound + 1);
  for (let at = place; at < triples.length; at += 3) offsets[triples[at]! + 1]!++;
  for (let id = 0; id < bound; id++) offsets[id + 1]! += offsets[id]!;
  return offsets;
}

/** Heads and relations of the facts by (tail, relation, head). */
function sortBackwards(
  triples: Int32Array,
  backwards: Int32Array,
  relationCount: number,
): { readonly heads: Int32Array; readonly relations: Int32Array } {
  const count = triples.length / 3;
  const byRelation = new Int32Array(count);
  const nextOfRelation = runsOf(triples, 1, relationCount);
  for (let fact = 0; fact < count; fact++) byRelation[nextOfRelation[triples[3 * fact + 1]!]!++] = fact;
  const heads = new Int32Array(count);
  const relations = new Int32Array(count);
  const nextOfTail = backwards.slice();
  for (let i = 0; i < count; i++) {
    const at = 3 * byRelation[i]!;
    const place = nextOfTail[triples[at + 2]!]!++;
    heads[place] = triples[at]!;
    relations[place] = triples[at + 1]!;
  }
  return { heads, relations };
}

/** How many relations leave each head, forwards and backwards. */
function countGroups(
  triples: Int32Array,
  forwards: Int32Array,
  backwards: Int32Array,
  relations: Int32Array,
  allocate: (length: number) => Int32Array,
): { readonly headOffsets: Int32Array; readonly groupCount: number } {
  const headOffsets = allocate(forwards.length);
  let groupCount = 0;
  for (let head = 0; head + 1 < forwards.length; head++) {
    for (let last = -1, fact = forwards[head]!; fact < forwards[head + 1]!; fact++) {
      const relation = triples[3 * fact + 1]!;
      if (relation !== last) groupCount++;
      last = relation;
    }
    for (let last = -1, fact = backwards[head]!; fact < backwards[head + 1]!; fact++) {
      const relation = relations[fact]!;
      if (relation !== last) groupCount++;
      last = relation;
    }
    headOffsets[head + 1] = groupCount;
  }
  return { headOffsets, groupCount };
}
