import { anchorRows } from '../embedding/anchor-rows.ts';
import type { ModelContext } from '../ranker/run-requests.ts';
import { scaleOf } from '../sets/grown-link-scores.ts';

/** The vectors that scores are products with, of the entities that a request needs. */
export interface EntityTable {
  /** Reads what is not there yet. */
  read(ids: Iterable<number>): Promise<void>;
  /** Where the vectors of entities stand; -1 of an entity without a vector. Shapes: [n] → [n]. */
  places(ids: Int32Array): Int32Array;
  /** Direction · vector of entities that were read, by their places; 0 without a vector. Shapes: [d], [n] → [n]. */
  scores(direction: ArrayLike<number> | undefined, places: Int32Array): Float32Array;
}

/** How many entities have a vector: those of the model, and those that were folded in later. */
export function vectorCount({ model, more }: ModelContext): number {
  return more === undefined ? model.entities : more.first + more.vectors.length / more.dimension;
}

/** A table of p_e, or of p_e / ‖p_e‖ where scores are cosines, which grows as it is read. */
export function createEntityTable(context: ModelContext): EntityTable {
  const { dimension } = context.model;
  const end = vectorCount(context);
  const places = new Map<number, number>();
  let table = new Float32Array(0);
  return {
    async read(ids) {
      const fresh: number[] = [];
      for (const id of ids) {
        if (id >= end || places.has(id)) continue;
        places.set(id, places.size);
        fresh.push(id);
      }
      if (fresh.length === 0) return;
      const first = places.size - fresh.length;
      if (places.size * dimension > table.length) {
        const longer = new Float32Array(Math.max(places.size, (2 * table.length) / dimension) * dimension);
        longer.set(table);
        table = longer;
      }
      const rows = await anchorRows(context, Int32Array.from(fresh), dimension);
      for (let i = 0; i < rows.length; i += 1) {
        const row = rows[i]!;
        const scale = scaleOf(context.model, row);
        const at = (first + i) * dimension;
        if (scale === 1) table.set(row, at);
        else for (let j = 0; j < dimension; j += 1) table[at + j] = scale * row[j]!;
      }
    },
    places: (ids) => ids.map((id) => places.get(id) ?? -1),
    scores(direction, at) {
      const scores = new Float32Array(at.length);
      if (direction === undefined) return scores;
      const of = Float64Array.from(direction);
      const rows = table;
      const even = dimension & ~3;
      for (let i = 0; i < at.length; i += 1) {
        const from = at[i]! * dimension;
        if (from < 0) continue;
        // Four sums, which do not wait for each other.
        let [a, b, c, d] = [0, 0, 0, 0];
        for (let j = 0; j < even; j += 4) {
          a += of[j]! * rows[from + j]!;
          b += of[j + 1]! * rows[from + j + 1]!;
          c += of[j + 2]! * rows[from + j + 2]!;
          d += of[j + 3]! * rows[from + j + 3]!;
        }
        for (let j = even; j < dimension; j += 1) a += of[j]! * rows[from + j]!;
        scores[i] = a + b + (c + d);
      }
      return scores;
    },
  };
}
