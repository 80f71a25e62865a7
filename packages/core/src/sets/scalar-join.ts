import type { SetLogic } from './set-logic.ts';

/** ∧ or ∨ of two degrees. */
export function createScalarJoin(join: SetLogic['and']): (a: number, b: number) => number {
  const [left, right] = [new Float32Array(1), new Float32Array(1)];
  return (a, b) => {
    left[0] = a;
    right[0] = b;
    return join(left, right, left)[0]!;
  };
}
