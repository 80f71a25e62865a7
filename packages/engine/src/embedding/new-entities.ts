/** Entities that came after a model, whose ids follow those of the model. */
export interface NewEntities {
  /** The first id: how many entities the model has. */
  readonly first: number;
  /** d */
  readonly dimension: number;
  /** p_e of each [n, d]. */
  readonly vectors: Float32Array;
}

/** p_e of a new entity, as a view. Shapes: → [d]. */
export function vectorOf({ first, dimension, vectors }: NewEntities, id: number): Float32Array {
  const from = (id - first) * dimension;
  return vectors.subarray(from, from + dimension);
}

/** The ids of new entities, ascending. */
export function newIds({ first, dimension, vectors }: NewEntities): Int32Array {
  return Int32Array.from({ length: vectors.length / dimension }, (_, i) => first + i);
}

/** Each element of a p_e whose elements are equal: 1/d, or 1/√d if the L2 norm of p_e is 1. */
export function evenElement(dimension: number, normalisation: 'l1' | 'l2'): number {
  return 1 / (normalisation === 'l1' ? dimension : Math.sqrt(dimension));
}

/**
 * p_e of entities that belong to everything equally, so that no score tells them apart: `evenElement` everywhere.
 *
 * Shapes: → [n, d].
 */
export function evenVectors(count: number, dimension: number, normalisation: 'l1' | 'l2'): Float32Array {
  return new Float32Array(count * dimension).fill(evenElement(dimension, normalisation));
}
