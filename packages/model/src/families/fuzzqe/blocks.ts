import {
  add,
  constant,
  div,
  labelled,
  mean,
  minimum,
  mul,
  scalar,
  sigmoid,
  sqrt,
  square,
  sub,
  type Tensor,
} from '@fuzzqe/core/tensor';
import type { ModelConfig } from '../../config/config.ts';
import type { Family, ProjectionDropout } from '../family.ts';
import { pairParameters, startPairs } from '../pair-parameters.ts';
import { pairProduct, turnedBack } from '../pair-product.ts';
import { mapping, normalisedEntity } from './entity.ts';
import { compareProducts, fuzzyLogic, scores } from './scores.ts';

/** How far a vector is from belonging to everything alike: `x / mean(x) − 1`. Shapes: [..., d] → [..., d]. */
export function relativeToMean(x: Tensor): Tensor {
  return sub(div(x, add(mean(x, [-1]), scalar(1e-12))), scalar(1));
}

/** The same of vectors of entities, of which it is known that the mean is 1/d where their L1 norm is 1. Shapes: [..., d] → [..., d]. */
export function entityRelativeToMean(config: ModelConfig, x: Tensor): Tensor {
  if (config.entityNormalisation !== 'l1') return relativeToMean(x);
  return sub(mul(x, scalar(config.dimension)), scalar(1));
}

/**
 * (3) What enters a projection by blocks: `y = x / mean(x) − 1`, or y lengthened to a root mean square of 1/8 where it is
 * shorter, `y / min(1, 8 √(mean(y²) + 1e-6))`.
 *
 * Trained entities have 0.1 to 0.2, and what follows from a projection a tenth of that: a conjunction of hops of different
 * numbers would go by the shortest path alone. With `domain` x is C_r(S) where S follows from a projection or an operator: anyone who
 * composes projections puts it there. Shapes: [..., d] → [..., d].
 */
function blocksInput(config: ModelConfig, x: Tensor): Tensor {
  const y = relativeToMean(x);
  if (config.projectionInput !== 'lengthened') return y;
  // ε is small compared with the square of what follows from a projection, and keeps the rounding of what is nearly 0 small.
  const length = sqrt(add(mean(square(y), [-1]), scalar(1e-6)));
  return div(y, minimum(mul(length, scalar(8)), scalar(1)));
}

/**
 * (4) Relation projection by blocks: `P_r(x) = σ(u(x) W_r)`.
 *
 * W_r is 0 but for `[c s; −s c]` in the rows and columns i and i + d/2, with c = α_r(i) and s = α_r(i + d/2), and there is no b_r.
 * Shapes: x and blocks [n, d], or blocks [1, d] → [n, d] in [0,1].
 * Source: Trouillon et al., "Complex Embeddings", ICML 2016, on [0,1]^d.
 */
function projection(
  config: ModelConfig,
  x: Tensor,
  blocks: Tensor,
  { input, output }: ProjectionDropout = { input: (each) => each, output: (each) => each },
): Tensor {
  const product = pairProduct(input(blocksInput(config, x)), blocks);
  return labelled('projection', mapping(config.mapping, output(product)));
}

/** `2dτ (S_q − mean S_q)`: with it `Σ_i (2 S_q(i) − 1)(d p_e(i) − 1)` times τ, which is bilinear in what (3) takes off, since every p_e sums to 1. */
const directions = (config: ModelConfig, temperature: Tensor, query: Tensor): Tensor =>
  mul(sub(query, mean(query, [-1])), mul(temperature, scalar(2 * config.dimension)));

/** FuzzQE with a 2 × 2 block for each pair of elements of a relation: a rotation and a factor. */
export const blocks: Family = {
  name: 'blocks',
  trains: ['entities', 'coefficients'],
  parameters: pairParameters,
  initialise: startPairs,
  // Vectors enter projections as they are: learned from lengthened ones it ranks worse.
  trained: (config) => ({ ...config, projectionInput: 'raw' }),
  entity: (config, x) => normalisedEntity(config, sigmoid(x)),
  project: (config, { coefficients }, x, dropout) => projection(config, x, coefficients, dropout),
  projectFrom: (config, x, row) => projection(config, x, row('relationBlocks')),
  logic: fuzzyLogic,
  scores,
  directions,
  compare: (config, query, factorOf) =>
    compareProducts(config, directions(config, factorOf(constant([1], [1])), query)),
  hasDropout: true,
  addsUp: true,
  linkTemperature: 1,
  pairs: entityRelativeToMean,
  relationFeatures,
  tables: ({ relations, dimension: d }) => [{ name: 'relationBlocks', shape: [relations, d], exact: true }],
  relationTables: (_, { coefficients }) => ({ relationBlocks: coefficients }),
};

/** What the blocks of a relation are multiplied by for the score of a link where σ(y) is 1/2 + y/4: `(u_h W_r) · u_t / 2`. */
function relationFeatures(config: ModelConfig, heads: Tensor, tails: Tensor): Tensor {
  return turnedBack(entityRelativeToMean(config, heads), entityRelativeToMean(config, tails));
}
