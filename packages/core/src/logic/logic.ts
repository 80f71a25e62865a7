import { clip01 } from '../tensor/functions.ts';
import { add, maximum, minimum, mul, scalar, sub } from '../tensor/ops/index.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** The fuzzy logics in which a query can be read. */
export const logicNames = ['product', 'godel', 'lukasiewicz'] as const;

/** The name of a fuzzy logic. */
export type LogicName = (typeof logicNames)[number];

/**
 * A fuzzy logic: what ∧, ∨ and ¬ do to fuzzy vectors, element by element.
 *
 * Shapes: [..., d] → [..., d], all in [0, 1].
 * Source: FuzzQE, "Fuzzy Logic Based Logical Operators" and Table of prominent t-norms.
 */
export interface Logic {
  readonly name: LogicName;
  /** The t-norm ⊤(a, b). */
  conjunction(a: Tensor, b: Tensor): Tensor;
  /** The t-conorm ⊥(a, b) = 1 − ⊤(1 − a, 1 − b). */
  disjunction(a: Tensor, b: Tensor): Tensor;
  /** The canonical negator 1 − a. */
  negation(a: Tensor): Tensor;
}

/** `1 − a`. Shapes: [..., d] → [..., d]. */
export const canonicalNegation = (a: Tensor): Tensor => sub(scalar(1), a);

/**
 * Product logic: `a∘b`, `a + b − a∘b`, `1 − a`.
 *
 * ∨ is computed as `a + b∘(1 − a)`: exactly 1 where an operand is, so that what is certain stays tied, and with all digits of small degrees.
 */
const product: Logic = {
  name: 'product',
  conjunction: (a, b) => mul(a, b),
  disjunction: (a, b) => add(a, mul(b, sub(scalar(1), a))),
  negation: canonicalNegation,
};

/** Gödel logic: `min(a, b)`, `max(a, b)`, `1 − a`. */
const godel: Logic = {
  name: 'godel',
  conjunction: (a, b) => minimum(a, b),
  disjunction: (a, b) => maximum(a, b),
  negation: canonicalNegation,
};

/** Łukasiewicz logic: `max(a + b − 1, 0)`, `min(a + b, 1)`, `1 − a`. */
const lukasiewicz: Logic = {
  name: 'lukasiewicz',
  conjunction: (a, b) => maximum(sub(add(a, b), scalar(1)), scalar(0)),
  disjunction: (a, b) => clip01(add(a, b)),
  negation: canonicalNegation,
};

/** The logics by name. */
export const logics: Readonly<Record<LogicName, Logic>> = { product, godel, lukasiewicz };
