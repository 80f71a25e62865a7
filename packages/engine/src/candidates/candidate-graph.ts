import { createKnowledgeGraph, findGroup, type KnowledgeGraph } from '@fuzzqe/core';
import { instantiate, nodesOf, type Query, templateOf } from '@fuzzqe/core/query';

/** The graph of some entities, which have new ids there. */
export interface CandidateGraph {
  /** The ids of the whole graph, ascending: entity i here is `ids[i]` there. */
  readonly ids: Int32Array;
  /** The facts among the entities along some relations; relations keep their ids. */
  readonly facts: KnowledgeGraph;
  /** The id here of an entity; undefined if the entity is no candidate. */
  placeOf(id: number): number | undefined;
}

/**
 * The facts of a graph among some entities, along the relations of a query.
 *
 * Time: for each entity and relation the shorter of the entity's tails and the candidates.
 */
export function candidateGraph(
  facts: KnowledgeGraph,
  candidates: Iterable<number>,
  relations: ReadonlySet<number>,
): CandidateGraph {
  const ids = Int32Array.from(new Set(candidates)).sort();
  const places = new Map<number, number>();
  for (const [place, id] of ids.entries()) places.set(id, place);
  const triples: number[] = [];
  const both = new Set([...relations].map((relation) => relation & ~1));
  for (const relation of both)
    for (let place = 0; place < ids.length; place += 1) {
      const group = findGroup(facts.rows, ids[place]!, relation);
      if (group < 0) continue;
      const { groupStarts, groupEnds, tails } = facts.rows;
      const own = tails.subarray(groupStarts[group], groupEnds[group]);
      if (own.length <= 8 * ids.length)
        for (const tail of own) {
          const at = places.get(tail);
          if (at !== undefined) triples.push(place, relation, at);
        }
      else
        for (let at = 0; at < ids.length; at += 1)
          if (facts.has(ids[place]!, relation, ids[at]!)) triples.push(place, relation, at);
    }
  const { relationCount, confidences } = facts;
  const size = { entityCount: ids.length, relationCount };
  const graph = createKnowledgeGraph({ ...size, triples: Int32Array.from(triples) });
  const here = confidences === undefined ? {} : { confidences: confidencesAmong(confidences, places, both) };
  return { ids, facts: { ...graph, ...here }, placeOf: (id) => places.get(id) };
}

/** What is less than certain among the candidates. New ids keep the order of ids, so that edges stay in order. */
function confidencesAmong(
  { edges, degrees }: NonNullable<KnowledgeGraph['confidences']>,
  places: ReadonlyMap<number, number>,
  relations: ReadonlySet<number>,
): KnowledgeGraph['confidences'] {
  const [kept, of]: [number[], number[]] = [[], []];
  degrees.forEach((degree, i) => {
    const [head, tail] = [places.get(edges[3 * i]!), places.get(edges[3 * i + 2]!)];
    const relation = edges[3 * i + 1]!;
    if (head === undefined || tail === undefined || !relations.has(relation & ~1)) return;
    kept.push(head, relation, tail);
    of.push(degree);
  });
  return of.length === 0 ? undefined : { edges: Int32Array.from(kept), degrees: Float32Array.from(of) };
}

/** The relations of a query. */
export function relationsOf(query: Query): ReadonlySet<number> {
  return new Set(nodesOf(query).flatMap((node) => (node.op === 'project' ? [node.relation] : [])));
}

/** A query with other ids of its entities. */
export function withEntities(query: Query, of: (id: number) => number): Query {
  const { template, anchors, relations } = templateOf(query);
  return instantiate(template, anchors.map(of), relations);
}
