import { type ModelConfig, type OfFamily, traitsOf } from '@fuzzqe/model';
import { anchorRows, rowsAtOnce } from './anchor-rows.ts';
import type { EmbeddingContext } from './embed-plans.ts';

/** What chosen entities are scored with. */
export interface ScoringContext extends EmbeddingContext {
  readonly model: Pick<ModelConfig, 'score' | 'dimension'> & OfFamily;
}

/**
 * φ(q, e) of chosen entities, by their rows alone: S_q · p_e, or S_q · p_e / ‖p_e‖ where the cosine ranks.
 *
 * In centred families it is `mean S_q + (S_q − mean S_q) · p_e`, as every p_e sums to 1: S_q lies close to 1/2 everywhere, and what a row of
 * float16 is off by would count by that half.
 *
 * The rows are what the graph `anchor` gives, so that every profile is read in one way; sums are in float64.
 * Shapes: embedding [d], ids [n] → [n].
 *
 * @throws FuzzError `runtime`: the graph fails, or gives what are no rows.
 */
export async function scoreEntities(
  context: ScoringContext,
  embedding: Float32Array,
  ids: Int32Array,
): Promise<Float32Array> {
  const { model } = context;
  const { dimension } = model;
  const centre = traitsOf(model).isCentred ? meanOf(embedding) : 0;
  const beyond = Float64Array.from(embedding, (value) => value - centre);
  const scores = new Float32Array(ids.length);
  // In parts, since rows take memory.
  for (let from = 0; from < ids.length; from += rowsAtOnce) {
    const rows = await anchorRows(context, ids.subarray(from, from + rowsAtOnce), dimension);
    for (const [row, each] of rows.entries())
      scores[from + row] = centre + scoreOf(model.score, beyond, each);
  }
  return scores;
}

/** Shapes: [d] → one number. */
export const meanOf = (values: Float32Array): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** φ(q, e) of one row. Shapes: embedding [d], row [d]. */
function scoreOf(score: ModelConfig['score'], embedding: ArrayLike<number>, row: ArrayLike<number>): number {
  let product = 0;
  let square = 0;
  for (let i = 0; i < row.length; i += 1) {
    product += embedding[i]! * row[i]!;
    square += row[i]! ** 2;
  }
  return score === 'cosine' && square > 0 ? product / Math.sqrt(square) : product;
}
