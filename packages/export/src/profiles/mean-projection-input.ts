import type { ModelConfig } from '@fuzzqe/model';

/**
 * The mean of what enters the projections of anchors, u(p_e) over all entities.
 *
 * Inputs have most of their length in common, so most of what rounded weights get wrong is the same for all of them:
 * `ū (W − Ŵ)`, which can be added to a bias. Shapes: table [|E|, d] → [d].
 */
export function meanProjectionInput(
  { entities, dimension: d, projectionInput }: ModelConfig,
  table: Float32Array,
): Float64Array {
  const mean = new Float64Array(d);
  for (let start = 0; start < table.length; start += d) {
    let squares = projectionInput === 'raw' ? 1 : 1e-12;
    if (projectionInput === 'l2') for (let i = 0; i < d; i += 1) squares += table[start + i]! ** 2;
    const share = 1 / Math.sqrt(squares) / entities;
    for (let i = 0; i < d; i += 1) mean[i]! += table[start + i]! * share;
  }
  return mean;
}
