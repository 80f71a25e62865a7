import { createKnowledgeGraph, type KnowledgeGraph } from '@fuzzqe/core';

/** A graph of facts h, r, t with relations 0, 2, 4, …; sizes are those of the highest ids where nothing is said. */
export function graphOf(
  facts: readonly (readonly [number, number, number])[],
  { entities = 0, relations = 0 }: { readonly entities?: number; readonly relations?: number } = {},
): KnowledgeGraph {
  const ids = facts.flatMap(([head, , tail]) => [head, tail]);
  return createKnowledgeGraph({
    entityCount: Math.max(entities, ...ids.map((id) => id + 1)),
    relationCount: Math.max(relations, ...facts.map(([, relation]) => (relation | 1) + 1)),
    triples: Int32Array.from(facts.flat()),
  });
}
