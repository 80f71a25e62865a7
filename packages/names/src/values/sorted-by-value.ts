import { FuzzError } from '@fuzzqe/core';
import { type AttributeValue, attributeTypes } from '../rows/attributes.ts';
import { attributeValues } from '../vocabulary/changed-attributes.ts';
import { type Literal, literalOf } from './literal-span.ts';
import { namedColumns, type ValuesState } from './named-columns.ts';

/** By what entities are sorted. */
export interface ValueOrder {
  /** The key or label of a property whose values are literals. */
  readonly property: string;
  /** Whether the highest value comes first. Default false. */
  readonly descending?: boolean | undefined;
}

/** A place among the sorted entities, with the literal that says it. */
export interface SortedPlace {
  readonly place: number;
  readonly value: AttributeValue | undefined;
}

/**
 * Sorts entities by a property: by the lowest of their values, or descending by the highest.
 *
 * Numbers come before dates, booleans and texts; texts are in the order of their letters' codes. Entities without a value come last, those
 * of equal values in the order given. Shapes: ids [n] → [n] places of `ids`.
 *
 * @throws FuzzError `query` at `path`: an unknown property.
 */
export function sortedByValue(
  ids: ArrayLike<number>,
  { property, descending = false }: ValueOrder,
  state: ValuesState,
  path: string,
): SortedPlace[] {
  const columns = namedColumns(
    property,
    state,
    (expected, got, hint) =>
      new FuzzError('query', `order: expected ${expected}, got ${got}`, { path, hint }),
  );
  const key = columns[0]!.key;
  const compare = (a: Sortable, b: Sortable): number =>
    (descending ? -1 : 1) * (a.rank - b.rank || compareLiterals(a.literal, b.literal));
  const places = Array.from(ids, (id, place) => {
    const own = attributeValues(state.vocabulary, state.attributes, id).flatMap((value) =>
      sortable(value, key),
    );
    return { place, best: own.sort(compare)[0] };
  });
  places.sort((a, b) => {
    if (a.best === undefined || b.best === undefined)
      return Number(a.best === undefined) - Number(b.best === undefined);
    return compare(a.best, b.best);
  });
  return places.map(({ place, best }) => ({ place, value: best?.value }));
}

interface Sortable {
  readonly value: AttributeValue;
  readonly rank: number;
  readonly literal: Literal;
}

function sortable(value: AttributeValue, key: string): Sortable[] {
  if (value.key !== key) return [];
  const literal = literalOf(value.type, value.value);
  return literal === undefined ? [] : [{ value, rank: attributeTypes.indexOf(value.type), literal }];
}

function compareLiterals(a: Literal, b: Literal): number {
  if (typeof a === 'string' || typeof b === 'string') return a < b ? -1 : Number(a > b);
  // Infinite values are equal, though their difference is no number.
  return a.from === b.from ? Math.sign(a.to - b.to) || 0 : a.from - b.from;
}
