import { add, constant, input, parameter, where } from '../../tensor/index.ts';
import type { OpCases } from './op-case.ts';
import { ids, p, q, x, y, yes } from './operands.ts';

/** How it is tested where numbers come from. */
export const sourcesCases: OpCases<'input' | 'parameter' | 'constant'> = {
  input: {
    values: [
      [input('x', 'float', [3]), [1, 2, 3]],
      [input('x', 'float', ['n']), [1, 2, 3]],
    ],
    gradients: [{ of: input('given', 'float', [3, 4]), by: [p], is: 'zero' }],
    programs: [{ outputs: { a: x, b: x, c: ids, d: yes } }],
  },
  parameter: {
    values: [[parameter('x', [3]), [1, 2, 3]]],
    gradients: [
      { of: p, by: [p] },
      { of: p, by: [q], is: 'zero' },
    ],
    programs: [{ outputs: { a: parameter('w', [2, 3]), b: parameter('index', [4], 'int') } }],
  },
  constant: {
    values: [[constant([1, -0.5]), [1, -0.5]]],
    gradients: [{ of: constant([1, 2]), by: [p], is: 'zero' }],
    programs: [
      {
        outputs: {
          a: constant([0.5, -1, 2]),
          b: add(x, constant([0.5, -1, 2])),
          c: constant([1, 2], [1, 2], 'int'),
          d: where(constant([1, 0, 1], [3], 'bool'), x, y),
        },
      },
    ],
  },
};
