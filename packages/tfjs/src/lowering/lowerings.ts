import type { OpName } from '@fuzzqe/core/tensor';
import { elementwise } from './elementwise.ts';
import type { Lowerings } from './lowering.ts';
import { products } from './matmul.ts';
import { movement } from './movement.ts';
import { reductions } from './reduction.ts';
import { sources } from './sources.ts';

/** How every operation of the tensor program runs with tfjs. */
export const lowerings: Lowerings<OpName> = {
  ...sources,
  ...elementwise,
  ...movement,
  ...reductions,
  ...products,
};
