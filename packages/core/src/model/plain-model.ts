import type { ModelOptions } from './config.ts';

/**
 * A small product-logic model with logistic mappings, vectors of length 1 and the inner product as its score.
 *
 * Fixtures and measurements say only in what theirs differ, so that a new option has its plain value in one place.
 */
export const plainModel: ModelOptions = {
  dimension: 8,
  bases: 3,
  logic: 'product',
  mapping: 'logistic',
  entityMapping: 'logistic',
  entityNormalisation: 'l2',
  projectionInput: 'l2',
  score: 'innerProduct',
};
