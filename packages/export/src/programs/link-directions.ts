import { mean, sub, type Tensor } from '@fuzzqe/core/tensor';
import { type ModelConfig, queryDirections, traitsOf } from '@fuzzqe/model';

/**
 * What p_e is multiplied with for the logits of links: `queryDirections`, of which with blocks nothing is left along their mean.
 *
 * A mean of numbers near 1/2 is off by 3·10⁻⁸, and every logit by 2dτ times that, some 10⁻⁴: it is taken off once more, where
 * numbers are small. Shapes: τ [1], x [n, d] → [n, d].
 */
export function linkDirections(config: ModelConfig, temperature: Tensor, x: Tensor): Tensor {
  const directions = queryDirections(config, temperature, x);
  return traitsOf(config).isCentred ? sub(directions, mean(directions, [-1])) : directions;
}
