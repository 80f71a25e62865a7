import { evaluate, type NumericTensors, numeric } from '../../tensor/index.ts';
import { type Law, lawProgram, tensorAlgebra } from '../law.ts';
import type { Logic } from '../logic.ts';

/** Every choice of so many of the values, one array an operand. */
export function everyChoice(values: readonly number[], arity: number): number[][] {
  return Array.from({ length: arity }, (_, operand) =>
    Array.from(
      { length: values.length ** arity },
      (_, i) => values[Math.floor(i / values.length ** operand) % values.length]!,
    ),
  );
}

/** Both sides of every premise and claim of a law, for each element of the operands. */
export function sidesOf(law: Law, logic: Logic, operands: readonly (readonly number[])[]): NumericTensors {
  const feeds = operands.map((values, i) => ['abc'[i]!, numeric([values.length], values)] as const);
  return evaluate(lawProgram(law, tensorAlgebra(logic)), Object.fromEntries(feeds));
}
