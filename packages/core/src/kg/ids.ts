import { FuzzError } from '../errors.ts';
import { describeValue } from '../input/describe-value.ts';

declare const brand: unique symbol;

/** An entity's number, in [0, entityCount). */
export type EntityId = number & { readonly [brand]: 'EntityId' };

/**
 * A relation's number, in [0, relationCount), where relationCount counts inverses.
 *
 * Relation 2k is the k-th relation of the data and 2k+1 its inverse, as in the BetaE data sets.
 */
export type RelationId = number & { readonly [brand]: 'RelationId' };

/** The relation that holds from tail to head where `relation` holds from head to tail: `r ^ 1`. */
export function inverseOf(relation: RelationId): RelationId {
  return (relation ^ 1) as RelationId;
}

/** A fact along its relation forwards: (h, 2k + 1, t) is (t, 2k, h). */
export function forwardFact(
  head: number,
  relation: number,
  tail: number,
): readonly [head: number, relation: number, tail: number] {
  return relation % 2 === 0 ? [head, relation, tail] : [tail, relation - 1, head];
}

/** Names a number an entity, unchecked: for numbers whose range has been seen to already. */
export function asEntityId(id: number): EntityId {
  return id as EntityId;
}

/** Names a number a relation, unchecked: for numbers whose range has been seen to already. */
export function asRelationId(id: number): RelationId {
  return id as RelationId;
}

/**
 * Refuses an id outside [0, count).
 *
 * @throws FuzzError `range`.
 */
export function checkId(kind: 'entity' | 'relation', id: number, count: number, path: string): void {
  if (Number.isInteger(id) && id >= 0 && id < count) return;
  throw new FuzzError('range', `${kind} id: expected an integer in [0, ${count}), got ${describeValue(id)}`, {
    path,
    hint:
      kind === 'entity'
        ? `The graph has ${count} entities.`
        : `The graph has ${count} relations, inverses included: 2k is the k-th relation and 2k+1 its inverse.`,
  });
}
