import { rowsOf } from '../sessions/tensor-values.ts';
import type { EmbeddingContext } from './embed-plans.ts';
import { vectorOf } from './new-entities.ts';

/** How many rows of entities one run gives: 3 MB at d = 800. */
export const rowsAtOnce = 1024;

/**
 * p_e of entities by the graph `anchor`, so that every profile is read in one way, or their own where they came after the model.
 *
 * Shapes: ids [n] → [d] each.
 *
 * @throws FuzzError `runtime`: the graph fails, or gives what are no rows.
 */
export async function anchorRows(
  { profile, sessions, more }: Pick<EmbeddingContext, 'profile' | 'sessions' | 'more'>,
  ids: Int32Array,
  dimension?: number,
): Promise<Float32Array[]> {
  const isKnown = (id: number): boolean => more === undefined || id < more.first;
  const known = ids.every(isKnown) ? ids : ids.filter(isKnown);
  const rows: Float32Array[] = [];
  const session = known.length === 0 ? undefined : await sessions.get(profile.operators.anchor);
  for (let from = 0; from < known.length; from += rowsAtOnce) {
    const entities = known.slice(from, from + rowsAtOnce);
    const outputs = await session!.run({ entities: { dims: [entities.length], data: entities } });
    rows.push(...rowsOf(outputs, 'embedding', entities.length, dimension));
  }
  if (known === ids || more === undefined) return rows;
  let next = 0;
  return Array.from(ids, (id) => (isKnown(id) ? rows[next++]! : vectorOf(more, id)));
}
