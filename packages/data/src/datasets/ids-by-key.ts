import type { Vocabulary } from '@fuzzqe/core';

/** The ids of a graph by their keys. */
export interface IdsByKey {
  readonly entities: ReadonlyMap<string, number>;
  /** Inverses included. */
  readonly relations: ReadonlyMap<string, number>;
}

/** Collects the ids of a graph, for work that looks most of them up. */
export function idsByKey({ entityCount, relationCount, entity, relation }: Vocabulary): IdsByKey {
  const entities = new Map<string, number>();
  for (let id = 0; id < entityCount; id++) entities.set(entity(id).key, id);
  const relations = new Map<string, number>();
  for (let id = 0; id < relationCount; id++) relations.set(relation(id).key, id);
  return { entities, relations };
}
