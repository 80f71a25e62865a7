import {
  add,
  clip01,
  div,
  l2Norm,
  labelled,
  mul,
  scalar,
  sigmoid,
  sub,
  sum,
  type Tensor,
} from '@fuzzqe/core/tensor';
import type { MappingName, ModelConfig } from '../../config/config.ts';

/** m of (1) by bases: steep enough to reach both ends from x in [0,1]. Shapes: [n, d] → [n, d]. */
export function steepMapping(config: ModelConfig, x: Tensor): Tensor {
  const steep = (free: Tensor): Tensor => sigmoid(sub(mul(free, scalar(8)), scalar(4)));
  return config.entityMapping === 'logistic' ? steep(x) : clip01(x);
}

/**
 * (1) Entity embedding: `p_e = m(x_e) / ‖m(x_e)‖`, in [0,1]^d with its L1 or L2 norm equal to 1.
 *
 * Shapes: m(x) [n, d] → [n, d]. Source: FuzzQE, "Queries and Entities in Fuzzy Space".
 */
export function normalisedEntity(config: ModelConfig, inside: Tensor): Tensor {
  const norm = config.entityNormalisation === 'l1' ? sum(inside, [-1]) : l2Norm(inside);
  // An entity that the bounded rectifier maps to zero has no direction: it stays zero instead of becoming NaN.
  return labelled('entity', div(inside, add(norm, scalar(1e-12))));
}

/** g of (4). */
export function mapping(name: MappingName, x: Tensor): Tensor {
  return name === 'logistic' ? sigmoid(x) : clip01(x);
}
