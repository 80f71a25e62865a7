import type { Logic } from '@fuzzqe/core/logic';
import {
  broadcastLike,
  concat,
  greaterOrEqual,
  minimum,
  scalar,
  slice,
  type Tensor,
  where,
} from '@fuzzqe/core/tensor';

/**
 * Queries as alternatives, for families whose vectors have no ∨: the vector of a query in disjunctive normal form.
 *
 * A vector has one alternative of a fixed width, or two side by side. An absent second alternative has `nothing` everywhere.
 * ∨ puts two vectors of one alternative side by side. ∧ and projections go through the alternatives, and the nearest one ranks.
 * Source: Ren, Hu and Leskovec, "Query2Box", ICLR 2020, section 3.3.
 */

/** How many alternatives a query may have. */
export const mostAlternatives = 2;

/** The value of a missing number: so far away that an alternative of such numbers ranks nothing. */
const nothing = 1e6;

/** Missing numbers, in the shape of others. */
export const missing = (like: Tensor): Tensor => broadcastLike(scalar(nothing), like);

/** The numbers of x, and other numbers where x is missing. Shapes: → as given. */
export const presentOr = (x: Tensor, other: Tensor): Tensor =>
  where(greaterOrEqual(x, scalar(nothing / 2)), other, x);

/** The alternatives of vectors. Shapes: [n, width] or [n, 2 width] → [n, width] each. */
export function alternativesOf(x: Tensor, width: number): readonly Tensor[] {
  const axis = x.shape.length - 1;
  return x.shape[axis] === width
    ? [x]
    : [slice(x, 0, width, axis), slice(x, width, mostAlternatives * width, axis)];
}

/** One alternative as the vector of a query. Shapes: [n, width] → [n, 2 width]. */
export const alone = (x: Tensor): Tensor => concat([x, missing(x)], 1);

/** Whether an alternative is absent. Shapes: [n, width] → [n, 1]. */
export const isAbsent = (x: Tensor): Tensor => greaterOrEqual(slice(x, 0, 1, 1), scalar(nothing / 2));

/** Changes every alternative, except an absent one. Shapes: [n, w · width] → the same. */
export function eachAlternative(x: Tensor, width: number, change: (alternative: Tensor) => Tensor): Tensor {
  const [first, second] = alternativesOf(x, width);
  if (second === undefined) return change(first!);
  return concat([change(first!), where(isAbsent(second), missing(second), change(second))], 1);
}

/** The least of a number of each alternative. Shapes: [n, w · width] → [n, k]. */
export function leastOf(x: Tensor, width: number, distance: (alternative: Tensor) => Tensor): Tensor {
  return alternativesOf(x, width).map(distance).reduce(minimum);
}

/**
 * The operators of vectors of alternatives, given the ∧ of two alternatives.
 *
 * ¬ gives its operand. Readers refuse queries with ¬ or with more than two alternatives.
 */
export function logicOfAlternatives(
  width: number,
  join: (a: Tensor, b: Tensor) => Tensor,
): Omit<Logic, 'name'> {
  return {
    conjunction(a, b) {
      const [a1, a2] = alternativesOf(a, width) as [Tensor, Tensor?];
      const [b1, b2] = alternativesOf(b, width) as [Tensor, Tensor?];
      const first = join(a1, b1);
      if (a2 === undefined || b2 === undefined) return first;
      const ofRight = where(isAbsent(b2), missing(b2), join(a1, b2));
      return concat([first, where(isAbsent(a2), ofRight, join(a2, b1))], 1);
    },
    disjunction: (a, b) => concat([alternativesOf(a, width)[0]!, alternativesOf(b, width)[0]!], 1),
    negation: (a) => a,
  };
}
