import { FuzzError } from '@fuzzqe/core';
import type { EntityIndex, IndexSearch } from './entity-index.ts';

/**
 * Refuses a search that does not fit an index.
 *
 * @throws FuzzError `range`: an embedding of another dimension, or a k outside [1, maxTopK].
 */
export function checkSearch(
  { embedding, k }: IndexSearch,
  { name, dimension, capabilities: { maxTopK } }: Pick<EntityIndex, 'name' | 'dimension' | 'capabilities'>,
): void {
  if (embedding.length !== dimension)
    throw new FuzzError('range', `embedding: expected ${dimension} numbers, got ${embedding.length}`, {
      path: name,
      hint: 'The index is of another model: fuzzqe index push makes one of this bundle.',
    });
  if (Number.isInteger(k) && k >= 1 && k <= maxTopK) return;
  throw new FuzzError('range', `k: expected an integer in [1, ${maxTopK}] for this index, got ${k}`, {
    path: name,
    hint: 'Ask for fewer answers, or serve without --index.',
  });
}
