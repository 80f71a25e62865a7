import { add, div, mul, scalar } from '../tensor/ops/index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { canonicalNegation } from './logic.ts';

/**
 * Sugeno's negation `¬a = (1 − a) / (1 + λa)`, which is the canonical `1 − a` for λ = 0.
 *
 * The further λ is below 0, the less a negation takes from a conjunction that it stands in: `d ln ¬a / da` is `−4(1 + λ) / (2 + λ)`
 * at a = 1/2, where embeddings by blocks lie. Like 1 − a it turns the order of degrees around and is its own inverse, so the
 * paper's eight laws hold element by element. For λ = 0 alone hold VIII of scores and, but in Gödel logic, De Morgan's laws.
 * Shapes: [..., d] → [..., d], in [0, 1]; λ > −1.
 * Source: Sugeno, "Fuzzy measures and fuzzy integrals: a survey", 1977.
 *
 * @example
 * const negation = sugenoNegation(-0.9);
 * const not = negation(input('a', 'float', ['batch', 2]));
 */
export function sugenoNegation(lambda: number): (a: Tensor) => Tensor {
  if (lambda === 0) return canonicalNegation;
  return (a) => div(canonicalNegation(a), add(mul(a, scalar(lambda)), scalar(1)));
}
