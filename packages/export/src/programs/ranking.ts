import { scores, type Tensor, topKIndices, topKValues } from '@fuzzqe/core';

/** The best entities of each query and their scores. Shapes: embedding [batch, d], k [1] → [batch, k] each. */
export function ranking(
  embedding: Tensor,
  entities: Tensor,
  k: Tensor,
): { readonly ids: Tensor; readonly scores: Tensor } {
  const all = scores(embedding, entities);
  return { ids: topKIndices(all, k), scores: topKValues(all, k) };
}
