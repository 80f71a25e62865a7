import type { Attribute, AttributeCounter } from './attribute-counter.ts';

/** A class or a relation by which the entities at one end of a relation are described. */
export interface EntityKind {
  /** The relation that the entities have; of a class, the relation that says what an entity is. */
  readonly relation: number;
  /** The class as an entity; undefined where the kind is a relation that the entities have. */
  readonly class: number | undefined;
  /** How many entities at this end are of the kind. */
  readonly hits: number;
  /** How many entities of the graph are of the kind. */
  readonly holders: number;
}

/** The entities at one end of a relation. */
export interface EntityKinds {
  /** `classes` where half of the entities or more have a class, else `relations`. */
  readonly by: 'classes' | 'relations';
  /** How many entities stand at this end. */
  readonly entities: number;
  /** The kinds with the most hits, at most 3, of equally many the kind with fewer holders first. */
  readonly kinds: readonly EntityKind[];
}

const mostKinds = 3;

/** Describes the entities at one end of a relation by their classes, else by the relations that they have apart from `own`. */
export function describeEntities(
  entities: Int32Array,
  own: number,
  typeRelations: readonly number[],
  count: AttributeCounter,
): EntityKinds {
  const attributes = count(entities);
  const typed = attributes
    .filter(
      (each) => each.class === undefined && typeRelations.includes(each.relation) && each.relation !== own,
    )
    .reduce((most, { hits }) => Math.max(most, hits), 0);
  const byClasses = entities.length > 0 && 2 * typed >= entities.length;
  const told = attributes.filter((each) => (each.class !== undefined) === byClasses && each.relation !== own);
  const kinds = told.sort(compareKinds).slice(0, mostKinds);
  return {
    by: byClasses ? 'classes' : 'relations',
    entities: entities.length,
    kinds: kinds.map(({ relation, class: instancesOf, hits, holders }) => ({
      relation,
      class: instancesOf,
      hits,
      holders,
    })),
  };
}

function compareKinds(a: Attribute, b: Attribute): number {
  return (
    b.hits - a.hits || a.holders - b.holders || a.relation - b.relation || (a.class ?? -1) - (b.class ?? -1)
  );
}
