import type { Logic } from '@fuzzqe/core/logic';
import { evaluate, numeric } from '@fuzzqe/core/tensor';
import { type Law, type LawSides, lawProgram, type Sides, tensorAlgebra } from '@fuzzqe/parity';

/** The operators of a logic, of which a test may replace some. */
export type Operators = Pick<Logic, 'conjunction' | 'disjunction' | 'negation'>;

/** Evaluates a law's tensor program in float64. Shapes: operands [n] each. */
export function sidesInFloat64(
  law: Law,
  operators: Operators,
): (operands: readonly (readonly number[])[]) => LawSides {
  const program = lawProgram(law, tensorAlgebra(operators));
  return (operands) => {
    const feeds = operands
      .slice(0, law.arity)
      .map((values, i) => ['abc'[i]!, numeric([values.length], values)] as const);
    const values = evaluate(program, Object.fromEntries(feeds));
    const sides = (kind: 'premise' | 'claim'): Sides[] =>
      law[`${kind}s`].map((_, i) => ({
        left: values[`${kind} ${i} left`]!.data,
        right: values[`${kind} ${i} right`]!.data,
      }));
    return { premises: sides('premise'), claims: sides('claim') };
  };
}
