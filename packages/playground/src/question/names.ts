import type { EntityId, NameEntry, RelationId } from '@fuzzqe/core';

/** An entity with its names. */
export interface NamedEntity extends NameEntry {
  readonly id: EntityId;
}

/** A relation of the data, followed from head to tail, with its names. */
export interface NamedRelation extends NameEntry {
  readonly id: RelationId;
}

/** Names that came with something, by the ids of the graph that was asked. */
export interface FoundNames {
  readonly entities: Iterable<NamedEntity>;
  /** An inverse has an id of its own, and the label of its relation. */
  readonly relations?: Iterable<{ readonly id: RelationId; readonly label: string }>;
}

/** Names of a graph whose entities may be too many to have at hand: they are asked for, one at a time. */
export interface GraphNames {
  readonly entityCount: number;
  /** All relations of the data, without inverses, in the order of their ids: 0, 2, 4 and so on. */
  readonly relations: readonly NamedRelation[];
  /** What prefixes in names stand for; empty for most graphs that are not from RDF. */
  readonly prefixes: ReadonlyMap<string, string>;
  /** @throws FuzzError `range`: no such entity. */
  entity(id: EntityId): Promise<NamedEntity>;
  /**
   * The entity of that key, else of that label, as `Vocabulary.findEntity` finds it.
   *
   * @throws FuzzError `vocabulary`: no such name, or one that several share; the hint offers near ones.
   */
  findEntity(name: string): Promise<NamedEntity>;
}
