import type { Operation } from '../operation.ts';
import type { OpName } from '../tensor.ts';
import { dataMovement } from './data-movement.ts';
import { elementwise } from './elementwise.ts';
import { integerMatmulOperation, matmulOperation } from './matmul.ts';
import { pickOperation } from './pick.ts';
import { quantisation } from './quantisation.ts';
import { reductions } from './reduction.ts';
import { sources } from './source.ts';

export * from './data-movement.ts';
export * from './elementwise.ts';
export * from './matmul.ts';
export * from './pick.ts';
export * from './quantisation.ts';
export * from './reduction.ts';
export * from './source.ts';

/** Every operation of the tensor program. */
export const operations: { readonly [K in OpName]: Operation<K> } = {
  ...sources,
  ...elementwise,
  ...dataMovement,
  ...reductions,
  ...quantisation,
  pick: pickOperation,
  matmul: matmulOperation,
  integerMatmul: integerMatmulOperation,
};
