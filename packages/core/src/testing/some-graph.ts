import { createKnowledgeGraph, type KnowledgeGraph, type Random } from '../index.ts';

/** A graph whose facts come from chance. `relationCount` counts inverses. */
export function someGraph(
  random: Random,
  entityCount: number,
  relationCount: number,
  factCount: number,
): KnowledgeGraph {
  const triples = Int32Array.from({ length: 3 * factCount }, (_, i) =>
    i % 3 === 1 ? 2 * random.below(relationCount / 2) : random.below(entityCount),
  );
  return createKnowledgeGraph({ entityCount, relationCount, triples });
}
