import type { OpName } from '../tensor/index.ts';
import { dataMovementCases } from './op-cases/data-movement.ts';
import { elementwiseCases } from './op-cases/elementwise.ts';
import type { OpCases } from './op-cases/op-case.ts';
import { productsCases } from './op-cases/products.ts';
import { quantisationCases } from './op-cases/quantisation.ts';
import { reductionsCases } from './op-cases/reductions.ts';
import { sourcesCases } from './op-cases/sources.ts';

/** How every operation is tested: one that is missing here does not compile. */
export const opCases: OpCases<OpName> = {
  ...sourcesCases,
  ...elementwiseCases,
  ...productsCases,
  ...dataMovementCases,
  ...reductionsCases,
  ...quantisationCases,
};
