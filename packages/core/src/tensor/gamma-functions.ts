import { add, div, log, mul, scalar, sub } from './ops/index.ts';
import type { Tensor } from './tensor.ts';

/** A polynomial, the coefficient of the highest power first. */
const polynomial = (x: Tensor, coefficients: readonly number[]): Tensor =>
  coefficients.map(scalar).reduce((total, coefficient) => add(mul(total, x), coefficient));

/**
 * The numerator of L in `lgamma`, over `x (x + 1) … (x + 4)`: Lanczos's sum of five poles with the shift 5.
 *
 * The coefficients are least squares of the relative error over x > 0. All are positive, so no term cancels another.
 */
const numerator = [
  0.010244016839704, 0.256954089030066, 2.57811314195123, 12.9335773222553, 32.4417774024128,
  32.5498508535948,
];

/**
 * Computes the logarithm of the gamma function, element by element.
 *
 * The function is a composition of operations, so that every interpreter and the gradients have it as it is.
 * ONNX and TensorFlow.js have no kernel of it: an operation of its own would be this composition in each of them.
 *
 * Formula: `ln Γ(x) = (x − ½) (ln(x + 5) − 1) + ln L(x)`, where L is a rational function.
 * Shapes: → as given. Ranges: x in (0, 2·10⁶].
 * The result is off by less than 10⁻¹¹, and its gradient, ψ, by less than 2·10⁻¹⁰.
 * In float32, both terms are about as large as ln Γ(x), so their roundings are small next to it.
 * Source: Lanczos, "A Precision Approximation of the Gamma Function", SIAM Journal on Numerical Analysis 1, 1964.
 *
 * @example
 * const x = input('x', 'float', ['n']);
 * const logBeta = sub(lgamma(x), lgamma(add(x, scalar(1)))); // ln B(x, 1) = −ln x
 */
export function lgamma(x: Tensor): Tensor {
  const outer = mul(x, add(x, scalar(4)));
  const poles = mul(mul(outer, add(outer, scalar(3))), add(x, scalar(2)));
  const power = mul(sub(x, scalar(0.5)), sub(log(add(x, scalar(5))), scalar(1)));
  return add(power, log(div(polynomial(x, numerator), poles)));
}

/** How far the recurrence of ψ moves x: the asymptotic series ends after three terms at `x + 6`. */
const steps = 6;

/** The factors of `x (x + 1) … (x + 5)` in pairs, each `x (x + 5) + c`. */
function pairsOf(x: Tensor): readonly [Tensor, Tensor, Tensor] {
  const outer = mul(x, add(x, scalar(steps - 1)));
  return [outer, add(outer, scalar(4)), add(outer, scalar(6))];
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
