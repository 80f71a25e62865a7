import type { KnowledgeGraph } from '@fuzzqe/core';
import { createAnswerer } from '@fuzzqe/core/query';
import { createQueriesBuilder, queryRow, type SampledQueries } from '../queries/sampled-queries.ts';

/** Where queries go, and by which facts they are answered there. */
export interface CarryOptions {
  /** For each entity of the earlier graph its id in the changed graph, or −1. */
  readonly entities: Int32Array;
  /** The same of relations, inverses included. */
  readonly relations: Int32Array;
  /** The facts of easy answers. */
  readonly smaller: KnowledgeGraph;
  /** The facts of hard answers; absent for training queries, which have none. */
  readonly larger?: KnowledgeGraph;
}

/**
 * Asks the queries of a graph on a changed graph: the same anchors and relations, with the answers of the changed facts.
 *
 * A query whose names are gone, or without a hard answer (of training queries, without an answer), is left out.
 */
export function carryQueries(
  queries: readonly SampledQueries<string>[],
  { entities, relations, smaller, larger }: CarryOptions,
): SampledQueries<string>[] {
  const [ofSmaller, ofLarger] = [
    createAnswerer(smaller),
    larger === undefined ? undefined : createAnswerer(larger),
  ];
  return queries.flatMap((part) => {
    const builder = createQueriesBuilder(part.shape);
    for (let row = 0; row < part.count; row++) {
      const query = queryRow(part, row);
      const anchors = query.anchors.map((id) => entities[id]!);
      const along = query.relations.map((id) => relations[id]!);
      if (anchors.includes(-1) || along.includes(-1)) continue;
      const known = ofSmaller.answer(part.shape.template, anchors, along);
      const easy = known.toArray();
      const hard =
        ofLarger === undefined
          ? []
          : ofLarger
              .answer(part.shape.template, anchors, along)
              .toArray()
              .filter((id) => !known.has(id));
      if ((ofLarger === undefined ? easy : hard).length === 0) continue;
      builder.add({ anchors, relations: along, easy, hard });
    }
    return builder.count === 0 ? [] : [builder.build()];
  });
}
