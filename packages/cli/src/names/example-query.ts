import { asEntityId, asRelationId, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import { entity, formatQuery, project } from '@fuzzqe/core/query';

/** Names and facts, of a bundle or of a data set with all its parts. */
export interface NamedGraph {
  readonly vocabulary: Vocabulary;
  readonly facts: KnowledgeGraph;
}

/**
 * A query that a fact of the graph answers, of one relation where it is named; where nothing is recorded, as in a bundle for the
 * embedding alone, one of the first entity and relation.
 */
export function exampleQuery({ vocabulary, facts }: NamedGraph, relation?: number): string {
  const head = relation === undefined ? undefined : facts.headsOf(relation)[0];
  const [first = 0, along = 0] = facts.forwardTriples();
  const [from, by] = head === undefined ? [first, relation ?? along] : [head, relation!];
  return queryOf(vocabulary, from, by);
}

/** A query of one relation, as the notation writes it. Default: the first entity and relation. */
export function queryOf(vocabulary: Vocabulary, head = 0, relation = 0): string {
  return formatQuery(project(asRelationId(relation), entity(asEntityId(head))), vocabulary);
}
