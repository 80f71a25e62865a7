import { add, div, log, mul, scalar, sub } from './ops/index.ts';
import type { Tensor } from './tensor.ts';

/**
 * The functions are compositions of operations, so that every interpreter and the gradients have them as they are.
 *
 * ONNX and TensorFlow.js have no kernel of either function: an operation of its own would be this composition in each of them.
 * The recurrence moves x to `x + 6`, where the asymptotic series ends after three terms.
 */
const steps = 6;

/** A polynomial, the coefficient of the highest power first. */
const polynomial = (x: Tensor, coefficients: readonly number[]): Tensor =>
  coefficients.map(scalar).reduce((total, coefficient) => add(mul(total, x), coefficient));

/** The factors of `x (x + 1) … (x + 5)` in pairs, each `x (x + 5) + c`. */
function pairsOf(x: Tensor): readonly [Tensor, Tensor, Tensor] {
  const outer = mul(x, add(x, scalar(steps - 1)));
  return [outer, add(outer, scalar(4)), add(outer, scalar(6))];
}

/**
 * Computes the logarithm of the gamma function, element by element.
 *
 * Formula: `ln Γ(x) = (y − ½) ln y − y + ½ ln 2π + 1/(12y) − 1/(360y³) + 1/(1260y⁵) − ln Π_{k<6} (x + k)`, y = x + 6.
 * Shapes: → as given. Ranges: x in (0, 2·10⁶], where the product stays in float32.
 * The series is off by less than 2.2·10⁻⁹; float32 adds a few roundings of `(y − ½) ln y`.
 * Its gradient is `digamma` with the same error. Source: Abramowitz and Stegun, 6.1.15 and 6.1.41.
 *
 * @example
 * const x = input('x', 'float', ['n']);
 * const logBeta = sub(lgamma(x), lgamma(add(x, scalar(1)))); // ln B(x, 1) = −ln x
 */
export function lgamma(x: Tensor): Tensor {
  const [first, second, third] = pairsOf(x);
  const y = add(x, scalar(steps));
  const inverse = div(scalar(1), y);
  const series = mul(inverse, polynomial(mul(inverse, inverse), [1 / 1260, -1 / 360, 1 / 12]));
  const stirling = sub(mul(sub(y, scalar(0.5)), log(y)), sub(y, scalar(Math.log(2 * Math.PI) / 2)));
  return sub(add(stirling, series), log(mul(mul(first, second), third)));
}

/**
 * Computes the digamma function ψ, the derivative of `lgamma`, element by element.
 *
 * Formula: `ψ(x) = ln y − 1/(2y) − 1/(12y²) + 1/(120y⁴) − 1/(252y⁶) − Σ_{k<6} 1/(x + k)`, y = x + 6.
 * Shapes: → as given. Ranges: x in (0, 2·10⁶].
 * The series is off by less than 3·10⁻⁹. Source: Abramowitz and Stegun, 6.3.5 and 6.3.18.
 */
export function digamma(x: Tensor): Tensor {
  const y = add(x, scalar(steps));
  const inverse = div(scalar(1), y);
  const square = mul(inverse, inverse);
  const series = mul(square, polynomial(square, [-1 / 252, 1 / 120, -1 / 12]));
  const asymptotic = add(log(y), add(mul(inverse, scalar(-0.5)), series));
  const ends = add(add(x, x), scalar(steps - 1));
  const reciprocals = pairsOf(x)
    .map((pair) => div(ends, pair))
    .reduce(add);
  return sub(asymptotic, reciprocals);
}
