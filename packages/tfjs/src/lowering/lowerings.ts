import { FuzzError } from '@fuzzqe/core';
import type { OpName } from '@fuzzqe/core/tensor';
import { dataMovement } from './data-movement.ts';
import { elementwise } from './elementwise.ts';
import type { Lowering, Lowerings } from './lowering.ts';
import { products } from './matmul.ts';
import { reductions } from './reduction.ts';

const given: Lowering<'input' | 'parameter' | 'constant'> = {
  kernels: [],
  run(node) {
    throw new FuzzError('shape', `a program's ${node.op} is given, not computed`);
  },
};

/** Where numbers come from: they are on the device before a run begins. */
const sources: Lowerings<'input' | 'parameter' | 'constant'> = {
  input: given,
  parameter: given,
  constant: given,
};

/** How every operation of the tensor program runs with tfjs. */
export const lowerings: Lowerings<OpName> = {
  ...sources,
  ...elementwise,
  ...dataMovement,
  ...reductions,
  ...products,
};
