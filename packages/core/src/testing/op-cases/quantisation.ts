import { constant, mul, neg, round, toFloat, toInt, toUint8 } from '../../tensor/index.ts';
import type { OpCases } from './op-case.ts';
import { ids, p, x } from './operands.ts';

/** How the operations between real and whole numbers are tested. */
export const quantisationCases: OpCases<'round' | 'toInt' | 'toUint8'> = {
  round: {
    values: [[round(constant([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 2.6])), [0, 2, 2, 0, -2, 2, 3]]],
    gradients: [{ of: round(p), by: [p], is: 'refused' }],
    programs: [
      { outputs: { a: round(mul(x, constant([10]))), b: round(constant([0.5, 1.5, 2.5, -0.5, -1.5, 2.4])) } },
    ],
  },
  toInt: {
    values: [[toInt(constant([3, -7])), [3, -7]]],
    gradients: [{ of: toFloat(toInt(p)), by: [p], is: 'zero' }],
    programs: [{ outputs: { a: toInt(round(mul(x, constant([1000])))), b: toInt(neg(toFloat(ids))) } }],
  },
  toUint8: {
    values: [[toUint8(constant([0, 255])), [0, 255]]],
    gradients: [{ of: toFloat(toUint8(p)), by: [p], is: 'zero' }],
    programs: [{ outputs: { a: toFloat(toUint8(round(mul(x, constant([100]))))) }, positive: true }],
  },
};
