import type { FactChanges } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/model';
import { evenVectors } from '../embedding/new-entities.ts';

/** What of a model says how vectors of new entities look. */
export type FoldedModel = Pick<ModelConfig, 'entities' | 'relations' | 'dimension' | 'entityNormalisation'>;

/** The vectors of the entities that came after a model. */
export interface NewVectors {
  /** p_e of all new entities [n, d], in memory that threads may share and nobody writes to; undefined without new entities. */
  of(entityCount: number): Float32Array | undefined;
  /** Notes the new entities whose facts change. */
  touch(changes: FactChanges): void;
  /** Some of the noted entities, which are noted no more. */
  take(): Int32Array;
  /** Shapes: ids [n], rows [n, d]. */
  set(ids: Int32Array, rows: Float32Array): void;
}

/** How many entities are folded in at once: readers wait for no more. */
const mostAtOnce = 8;

/** Vectors that are `evenVectors` until they are set. */
export function createVectors({
  entities: first,
  relations,
  dimension,
  entityNormalisation,
}: FoldedModel): NewVectors {
  let vectors = new Float32Array();
  const touched = new Set<number>();
  const copyWith = (count: number): Float32Array<ArrayBuffer> => {
    const isShared = typeof SharedArrayBuffer !== 'undefined';
    const bytes = 4 * count * dimension;
    const copy = new Float32Array(
      (isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)) as ArrayBuffer,
    );
    copy.set(vectors);
    const known = vectors.length / dimension;
    copy.set(evenVectors(count - known, dimension, entityNormalisation), vectors.length);
    return copy;
  };
  return {
    of(entityCount) {
      if (entityCount <= first) return undefined;
      if ((entityCount - first) * dimension > vectors.length) vectors = copyWith(entityCount - first);
      return vectors;
    },
    touch({ added = new Int32Array(), removed = new Int32Array() }) {
      for (const facts of [added, removed])
        for (let i = 0; i < facts.length; i += 3) {
          // A relation that came after the model says nothing of a vector.
          if (facts[i + 1]! >= relations) continue;
          for (const id of [facts[i]!, facts[i + 2]!]) if (id >= first) touched.add(id);
        }
    },
    take() {
      const ids = Int32Array.from([...touched].slice(0, mostAtOnce));
      for (const id of ids) touched.delete(id);
      return ids;
    },
    set(ids, rows) {
      vectors = copyWith(vectors.length / dimension);
      for (const [i, id] of ids.entries())
        vectors.set(rows.subarray(i * dimension, (i + 1) * dimension), (id - first) * dimension);
    },
  };
}
