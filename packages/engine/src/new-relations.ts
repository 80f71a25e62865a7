import type { KnowledgeGraph, Vocabulary } from '@fuzzqe/core';

/** What relations are new to. */
export interface NewRelations {
  /** How many relations were there when weights and rules were made, inverses included. */
  readonly trained: number;
  readonly facts: KnowledgeGraph;
  readonly vocabulary: Vocabulary;
}

/**
 * Says what answers each relation of a query that came after the training.
 *
 * Relations are asked for only if the graph has new relations, and counted once for each graph.
 */
export function newRelationWarnings({
  trained,
  facts,
  vocabulary,
}: NewRelations): (relationsOf: () => readonly number[]) => readonly string[] {
  if (facts.relationCount <= trained) return () => [];
  const counts = new Map<number, number>();
  const countOf = (relation: number): number => {
    const count =
      counts.get(relation) ??
      facts.headsOf(relation).reduce((sum, head) => sum + facts.tails(head, relation).length, 0);
    counts.set(relation, count);
    return count;
  };
  return (relationsOf) => {
    const later = relationsOf()
      .map((relation) => relation & ~1)
      .filter((relation) => relation >= trained);
    return Array.from(new Set(later), (relation) => {
      const count = countOf(relation);
      const { label } = vocabulary.relation(relation);
      const found = `${count} ${count === 1 ? 'fact' : 'facts'}`;
      return `new-relation: "${label}" came after the training: what answers along it is ${found}, and the rules that are mined from ${count === 1 ? 'it' : 'them'}`;
    });
  };
}
