import {
  add,
  constant,
  gather,
  input,
  integerMatmul,
  matmul,
  mul,
  parameter,
  slice,
  stopGradient,
  sum,
  toFloat,
  toUint8,
  transpose,
} from '../../tensor/index.ts';
import type { OpCases } from './op-case.ts';
import { batch, cube, ids, p, q, row, square4, x } from './operands.ts';

/** Numbers that halves hold: the smallest, subnormal ones and the largest among them. */
const halves = [
  2 ** -24,
  -(2 ** -15),
  0,
  -0.5,
  1.25,
  -3,
  65_504,
  -1000.5,
  2 ** -14,
  0.333_251_953_125,
  -7,
  96,
];

/** How the products of matrices are tested. */
export const productsCases: OpCases<'matmul' | 'integerMatmul'> = {
  matmul: {
    values: [
      [matmul(constant([1, 2, 3, 4], [2, 2]), constant([5, 6, 7, 8], [2, 2])), [19, 22, 43, 50]],
      [matmul(constant([1, 2, 5, 6], [2, 1, 2]), constant([3, 4, 7, 8], [2, 2, 1])), [11, 83]],
      [matmul(constant([1, 2], [1, 2]), constant([3, 4, 7, 8], [2, 2, 1])), [11, 23]],
      [matmul(constant([1, 2, 5, 6], [2, 1, 2]), constant([3, 4], [2, 1])), [11, 39]],
    ],
    gradients: [
      { of: matmul(p, transpose(q, [1, 0])), by: [p, q] },
      { of: matmul(batch, square4), by: [batch, square4] },
      { of: matmul(sum(p, [1]), slice(q, 0, 1)), by: [p, q] },
      { of: matmul(batch, transpose(batch, [0, 2, 1])), by: [batch] },
      // One matrix in several products and outside them, products of which one broadcasts.
      { of: add(matmul(matmul(p, square4), square4), matmul(slice(q, 0, 3), square4)), by: [p, q, square4] },
      {
        of: add(sum(matmul(batch, square4), [0, 1]), sum(mul(matmul(p, square4), row), [0])),
        by: [batch, row, square4],
      },
    ],
    programs: [
      {
        outputs: {
          plain: matmul(x, parameter('w', [3, 4])),
          right: matmul(x, transpose(parameter('table', [5, 3]), [1, 0])),
          left: matmul(transpose(x, [1, 0]), x),
          both: matmul(transpose(x, [1, 0]), transpose(parameter('t', [5, 'n']), [1, 0])),
          used: transpose(x, [1, 0]),
          stopped: matmul(x, stopGradient(transpose(parameter('table', [5, 3]), [1, 0]))),
          batched: matmul(cube, transpose(cube, [0, 2, 1])),
          shared: matmul(cube, parameter('w', [3, 4])),
          sharedLeft: matmul(parameter('v', [4, 2]), cube),
        },
      },
    ],
  },
  integerMatmul: {
    values: [
      [
        integerMatmul(constant([1, 2, 3, 4], [2, 2], 'uint8'), constant([5, -6, 7, 8], [2, 2], 'int8')),
        [19, 10, 43, 14],
      ],
    ],
    gradients: [
      {
        of: toFloat(integerMatmul(toUint8(p), constant([1, 2, 3, 4], [4, 1], 'int8'))),
        by: [p],
        is: 'zero',
      },
    ],
    programs: [
      {
        outputs: {
          a: integerMatmul(input('u', 'uint8', ['n', 6]), input('v', 'int8', [6, 3])),
          b: integerMatmul(input('rows', 'uint8', ['n', 1, 6]), input('matrices', 'int8', ['n', 6, 3])),
          c: toFloat(input('v', 'int8', [6, 3])),
          d: gather(input('v', 'int8', [6, 3]), ids),
          // A table, as halves always are: onnxruntime-node takes none as inputs where JavaScript has Float16Array.
          e: toFloat(gather(constant(halves, [4, 3], 'half'), ids)),
        },
      },
    ],
  },
};
