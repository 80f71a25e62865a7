import { logics } from '@fuzzqe/core/logic';
import { add, constant, div, labelled, maximum, mul, neg, scalar, type Tensor } from '@fuzzqe/core/tensor';
import type { ModelConfig } from '../../config/config.ts';
import type { Family } from '../family.ts';
import { compareProducts, scores } from '../fuzzqe/scores.ts';
import { pairParameters, startPairs } from '../pair-parameters.ts';
import { pairProduct, turnedBack } from '../pair-product.ts';

/** (4) `P_r(h) = h r`, of complex numbers. Shapes: x and relations [n, d] → [n, d]. */
const turned = (x: Tensor, relations: Tensor): Tensor => labelled('projection', pairProduct(x, relations));

/**
 * (8) φ of a score s: `1 + s` where s ≥ 0, otherwise `1 / (1 − s)`. It rises with s, and float32 keeps scores apart.
 *
 * Where s = −δ this is φ of families by distances. Shapes: [n, m] → [n, m] > 0.
 */
const positive = (products: Tensor): Tensor =>
  add(maximum(products, scalar(0)), div(scalar(1), add(maximum(neg(products), scalar(0)), scalar(1))));

/** Its scores are products, whatever a configuration says of scores of other families. */
const own = (config: ModelConfig): ModelConfig => ({ ...config, score: 'innerProduct' });

/**
 * ComplEx-N3: entities and relations are vectors of d/2 complex numbers, and a link scores `Re⟨h, r, conj(t)⟩`.
 *
 * It embeds links. The logic of fuzzy sets answers all other queries. The equations are those of docs/families.md.
 * Source: Trouillon et al., "Complex Embeddings for Simple Link Prediction", ICML 2016; Lacroix, Usunier and
 * Obozinski, "Canonical Tensor Decomposition for Knowledge Base Completion", ICML 2018.
 */
export const complex: Family = {
  name: 'complex',
  trains: ['entities', 'coefficients'],
  parameters: pairParameters,
  initialise: startPairs,
  trained: (config) => config,
  hasDropout: false,
  entity: (_, x) => x,
  project: (_, { coefficients }, x) => turned(x, coefficients),
  projectFrom: (_, x, row) => turned(x, row('relationVectors')),
  // Graphs of operators have it; readers refuse queries that would need it.
  logic: ({ logic }) => logics[logic],
  scores: (config, query, entities) => positive(scores(own(config), query, entities)),
  positive,
  directions: (_, temperature, query) => mul(query, temperature),
  compare: (config, query, factorOf) =>
    compareProducts(own(config), mul(query, factorOf(constant([1], [1])))),
  addsUp: false,
  linkTemperature: 1,
  pairs: (_, entities) => entities,
  relationFeatures: (_, heads, tails) => mul(turnedBack(heads, tails), scalar(2)),
  tables: ({ relations, dimension: d }) => [{ name: 'relationVectors', shape: [relations, d], exact: true }],
  relationTables: (_, { coefficients }) => ({ relationVectors: coefficients }),
};
