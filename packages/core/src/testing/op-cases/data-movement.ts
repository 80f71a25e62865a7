import {
  add,
  broadcastLike,
  concat,
  constant,
  gather,
  input,
  mul,
  parameter,
  regroup,
  reshape,
  scalar,
  scatterAdd,
  slice,
  square,
  sum,
  transpose,
} from '../../tensor/index.ts';
import type { OpCases } from './op-case.ts';
import {
  batch,
  cube,
  cubeRows,
  eight,
  ids,
  p,
  q,
  row,
  rows,
  six,
  square4,
  x,
  y,
  yes,
  z,
} from './operands.ts';

/** How the operations that move numbers are tested. */
export const dataMovementCases: OpCases<
  'transpose' | 'reshape' | 'broadcastLike' | 'concat' | 'slice' | 'gather' | 'scatterAdd' | 'regroup'
> = {
  transpose: {
    values: [
      [transpose(six, [1, 0]), [1, 4, 2, 5, 3, 6]],
      [transpose(eight, [2, 0, 1]), [1, 3, 5, 7, 2, 4, 6, 8]],
    ],
    gradients: [
      { of: mul(transpose(batch, [2, 0, 1]), scalar(2)), by: [batch] },
      { of: square(transpose(sum(square(p), [1]), [1, 0])), by: [p] },
    ],
    programs: [
      { outputs: { a: transpose(cube, [2, 0, 1]), b: transpose(yes, [1, 0]), c: transpose(x, [0, 1]) } },
    ],
  },
  reshape: {
    values: [[reshape(six, [3, 2]), [1, 2, 3, 4, 5, 6]]],
    gradients: [{ of: mul(reshape(p, [2, 6]), reshape(q, [2, 6])), by: [p, q] }],
    programs: [
      {
        outputs: {
          a: reshape(cube, ['n', 6]),
          b: reshape(cube, ['rows', 3]),
          c: reshape(x, [1, 'n', 3]),
          d: reshape(reshape(cube, ['rows', 3]), ['n', 2, 3]),
          e: reshape(input('wide', 'float', ['n', 'm']), ['n', 1, 'm']),
          f: reshape(input('wide', 'float', ['n', 'm']), ['all']),
          g: reshape(y, [3, 1]),
          h: reshape(ids, ['n', 1]),
          i: reshape(input('wide', 'float', ['n', 'm']), ['m', 'n', 1]),
        },
      },
    ],
  },
  broadcastLike: {
    values: [
      [broadcastLike(constant([1, 2], [2, 1]), six), [1, 1, 1, 2, 2, 2]],
      [broadcastLike(constant([1, 2, 3]), six), [1, 2, 3, 1, 2, 3]],
    ],
    gradients: [{ of: mul(broadcastLike(row, p), q), by: [row, q] }],
    programs: [
      {
        outputs: {
          a: broadcastLike(z, x),
          b: broadcastLike(y, cube),
          c: broadcastLike(constant([2]), parameter('w', [2, 3])),
          d: broadcastLike(ids, input('square', 'int', ['n', 'n'])),
          e: sum(mul(broadcastLike(z, x), broadcastLike(y, x)), [1]),
          f: broadcastLike(yes, input('mask', 'bool', ['n', 'm'])),
        },
      },
    ],
  },
  concat: {
    values: [
      [concat([constant([7, 8], [2, 1]), six], 1), [7, 1, 2, 3, 8, 4, 5, 6]],
      [concat([six, constant([7, 8, 9], [1, 3])]), [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ],
    gradients: [
      { of: square(concat([p, mul(q, scalar(3))], 0)), by: [p, q] },
      { of: square(concat([slice(p, 0, 1), slice(q, 1, 2), slice(p, 2, 3)])), by: [p, q] },
      // Columns, whose gradient a sum leaves unrepeated.
      { of: mul(sum(concat([slice(p, 0, 1, 1), sum(square(q), [1])], 1), [1]), sum(p, [1])), by: [p, q] },
    ],
    programs: [
      {
        outputs: {
          a: concat([x, z, x], 1),
          b: concat([y, y]),
          c: concat([cube, cube], 2),
          d: concat([x, cubeRows, x]),
        },
      },
    ],
  },
  slice: {
    values: [
      [slice(six, 1, 3, 1), [2, 3, 5, 6]],
      [slice(six, 1, 2), [4, 5, 6]],
    ],
    gradients: [
      { of: square(slice(p, 1, 3, 1)), by: [p] },
      { of: mul(slice(p, 0, 2), slice(p, 1, 3)), by: [p] },
      { of: add(mul(slice(p, 0, 1), slice(p, 2, 3)), slice(p, 1, 2)), by: [p] },
    ],
    programs: [
      { outputs: { a: slice(x, 1, 3, 1), b: slice(y, 0, 1), c: slice(cube, 1, 2, 1), d: slice(x, 0, 2) } },
    ],
  },
  gather: {
    values: [[gather(six, rows(1, 0, 1)), [4, 5, 6, 1, 2, 3, 4, 5, 6]]],
    gradients: [
      { of: square(gather(p, rows(2, 0, 2, 2))), by: [p] },
      { of: square(gather(slice(p, 1, 2), rows(0, 0, 0))), by: [p] },
      { of: square(gather(p, rows(2, 0), { distinct: true })), by: [p] },
    ],
    programs: [
      {
        outputs: {
          a: gather(parameter('w', [4, 3]), ids),
          b: gather(parameter('bases', [4, 2, 2]), ids),
          c: gather(parameter('w', [4, 3]), input('pairs', 'int', ['n', 2])),
          d: gather(parameter('index', [4], 'int'), ids),
          e: gather(input('flags', 'bool', [4]), ids),
        },
      },
    ],
  },
  scatterAdd: {
    values: [
      [scatterAdd(rows(2, 2), six, 3), [0, 0, 0, 0, 0, 0, 5, 7, 9]],
      [scatterAdd(rows(2, 0), six, 3, { distinct: true }), [4, 5, 6, 0, 0, 0, 1, 2, 3]],
    ],
    gradients: [
      { of: square(scatterAdd(rows(1, 1, 0), p, 5)), by: [p] },
      { of: square(scatterAdd(rows(4, 1, 0), p, 5, { distinct: true })), by: [p] },
    ],
    programs: [
      {
        outputs: {
          a: scatterAdd(ids, x, 4),
          b: scatterAdd(input('pairs', 'int', ['n', 2]), cube, 4),
          c: scatterAdd(ids, x, 'n'),
          d: scatterAdd(ids, reshape(z, ['n']), 6),
          e: scatterAdd(ids, input('wide', 'float', ['n', 'm']), 'm'),
          f: scatterAdd(rows(3, 0), parameter('two', [2, 3]), 4, { distinct: true }),
        },
      },
    ],
  },
  regroup: {
    values: [[regroup(six, rows(1, 2, 0), rows(2, 0)), [4, 5, 6, 0, 0, 0, 1, 2, 3]]],
    gradients: [
      {
        of: mul(
          regroup(p, constant([2, 0, 3, 1], [2, 2], 'int'), rows(1, 3, 0)),
          reshape(square4, [2, 2, 4]),
        ),
        by: [p, square4],
      },
    ],
    programs: [
      {
        // 4 rows in two groups with room for three: the empty places point past the last row.
        outputs: {
          there: regroup(
            input('v', 'float', [4, 3]),
            input('rows', 'int', [2, 3]),
            input('places', 'int', [4]),
          ),
          back: regroup(
            input('grouped', 'float', [2, 3, 'w']),
            input('places', 'int', [4]),
            input('rows', 'int', [2, 3]),
          ),
          ids: regroup(input('i', 'int', [4, 1]), input('rows', 'int', [2, 3]), input('places', 'int', [4])),
        },
        fixed: { rows: [2, 0, 4, 1, 3, 4], places: [1, 3, 0, 4] },
      },
      {
        outputs: {
          a: regroup(
            input('v', 'float', ['n', 2]),
            input('rows', 'int', ['g', 'c']),
            input('places', 'int', ['n']),
          ),
        },
        fixed: { rows: [5, 0, 4, 1, 3, 2], places: [1, 3, 5, 4, 2] },
      },
    ],
  },
};
