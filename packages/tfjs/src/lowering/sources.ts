import { FuzzError } from '@fuzzqe/core';
import type { Lowering, Lowerings } from './lowering.ts';

const given: Lowering<'input' | 'parameter' | 'constant'> = {
  kernels: [],
  run(node) {
    throw new FuzzError('shape', `a program's ${node.op} is given, not computed`);
  },
};

/** Where numbers come from: they are on the device before a run begins. */
export const sources: Lowerings<'input' | 'parameter' | 'constant'> = {
  input: given,
  parameter: given,
  constant: given,
};
