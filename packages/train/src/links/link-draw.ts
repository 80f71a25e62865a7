import { FuzzError, headOfGroup, type KnowledgeGraph, type Random } from '@fuzzqe/core';

/** The ways in which a 1p query is drawn. */
export const linkDrawNames = ['pairs', 'edges', 'walk'] as const;
export type LinkDrawName = (typeof linkDrawNames)[number];

/** How often each way is taken, in proportion to the others; one that is not named is never taken. */
export type LinkDrawConfig = { readonly [Name in LinkDrawName]?: number };

/** A 1p query with its answers. */
export interface DrawnLink {
  readonly head: number;
  readonly relation: number;
  readonly tails: Int32Array;
}

/** Throws 'config' where no way of drawing 1p queries is named. */
export function expectLinkDraw(shares: LinkDrawConfig): void {
  if (linkDrawNames.every((name) => shares[name] === undefined))
    throw new FuzzError(
      'config',
      `no way of drawing 1p queries, expected one of ${linkDrawNames.join(', ')}`,
      {
        path: '$.links',
        hint: 'leave it out, or name one: "links": {"pairs": 0.5, "edges": 0.5}',
      },
    );
}

/**
 * Draws 1p queries from the edges of a graph, inverses included.
 *
 * - `pairs`: every (head, relation) alike.
 * - `edges`: every edge alike, so a pair as often as it has tails.
 * - `walk`: an entity, one of the relations that lead to it, and one of the heads that this leads from, as queries of
 *   several links are drawn: it meets heads with many tails, and rare entities among these, far more often.
 *
 * @throws FuzzError `config`: `shares` names none of them.
 */
export function createLinkDraw(graph: KnowledgeGraph, shares: LinkDrawConfig): (random: Random) => DrawnLink {
  const ways: Readonly<Record<LinkDrawName, (random: Random) => readonly [number, number]>> = {
    pairs: drawPair(graph),
    edges: drawEdge(graph),
    walk: drawWalk(graph),
  };
  expectLinkDraw(shares);
  const total = linkDrawNames.reduce((sum, name) => sum + (shares[name] ?? 0), 0);
  const draw = (random: Random): readonly [number, number] => {
    let left = random.uniform() * total;
    const name = linkDrawNames.find((each) => {
      left -= shares[each] ?? 0;
      return left < 0;
    });
    return ways[name ?? 'edges'](random);
  };
  return (random) => {
    const [head, relation] = draw(random);
    return { head, relation, tails: graph.tails(head, relation) };
  };
}

type Draw = (random: Random) => readonly [head: number, relation: number];

function drawPair({ index }: KnowledgeGraph): Draw {
  // Groups are pairs, in the order of their heads and relations.
  const { groupRelations } = index;
  return (random) => {
    const group = random.below(groupRelations.length);
    return [headOfGroup(index, group), groupRelations[group]!];
  };
}

/** Groups that are counted together, so that finding a fact takes a table of a small share of them. */
const groupsAtOnce = 64;

function drawEdge({ index, edgeCount }: KnowledgeGraph): Draw {
  const { groupRelations, groupOffsets, tails } = index;
  const factsOf = (group: number): number =>
    groupRelations[group]! % 2 === 1 ? 0 : groupOffsets[group + 1]! - groupOffsets[group]!;
  // [blocks + 1]: how many facts the groups before each block have, facts being edges along forward relations.
  const factsBefore = new Int32Array(Math.ceil(groupRelations.length / groupsAtOnce) + 1);
  for (let group = 0; group < groupRelations.length; group += 1)
    factsBefore[Math.floor(group / groupsAtOnce) + 1]! += factsOf(group);
  for (let block = 1; block < factsBefore.length; block += 1) factsBefore[block]! += factsBefore[block - 1]!;
  return (random) => {
    const fact = random.below(edgeCount / 2);
    const backwards = random.uniform() < 0.5;
    let [low, high] = [0, factsBefore.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (factsBefore[middle]! <= fact) low = middle;
      else high = middle;
    }
    let group = low * groupsAtOnce;
    let rest = fact - factsBefore[low]!;
    for (let facts = factsOf(group); rest >= facts; facts = factsOf(group)) {
      rest -= facts;
      group += 1;
    }
    const relation = groupRelations[group]!;
    return backwards
      ? [tails[groupOffsets[group]! + rest]!, relation ^ 1]
      : [headOfGroup(index, group), relation];
  };
}

function drawWalk(graph: KnowledgeGraph): Draw {
  const reached = Int32Array.from({ length: graph.entityCount }, (_, entity) => entity).filter(
    (entity) => graph.degree(entity) > 0,
  );
  return (random) => {
    const answer = reached[random.below(reached.length)]!;
    const stored = graph.relationsOf(answer);
    // What is stored at an entity leaves it, along the inverse of what leads to it.
    const relation = stored[random.below(stored.length)]!;
    const heads = graph.tails(answer, relation);
    return [heads[random.below(heads.length)]!, relation ^ 1];
  };
}
