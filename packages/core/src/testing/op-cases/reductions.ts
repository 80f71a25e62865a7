import {
  add,
  constant,
  exp,
  input,
  max,
  neg,
  pick,
  reshape,
  slice,
  square,
  stopGradient,
  sum,
  toFloat,
  topKIndices,
  topKValues,
} from '../../tensor/index.ts';
import type { OpCases } from './op-case.ts';
import { batch, cube, k, p, q, six, three, tied, x, y, z } from './operands.ts';

/** Cases of the reductions and of the k largest. */
export const reductionsCases: OpCases<'sum' | 'max' | 'topKValues' | 'topKIndices' | 'pick'> = {
  sum: {
    values: [
      [sum(six, [1]), [6, 15]],
      [sum(six, [0]), [5, 7, 9]],
      [sum(six, []), [1, 2, 3, 4, 5, 6]],
    ],
    gradients: [
      { of: square(sum(p, [1])), by: [p] },
      { of: square(sum(batch, [0, 2])), by: [batch] },
      { of: add(sum(p, [0]), q), by: [p, q] },
    ],
    programs: [
      {
        outputs: { a: sum(x, [1]), b: sum(cube, [0, 2]), c: sum(y, [-1]), d: sum(x, []), e: sum(x, [0, 1]) },
      },
    ],
  },
  max: {
    values: [
      [max(neg(six), [1]), [-1, -4]],
      [max(six, [0]), [4, 5, 6]],
    ],
    gradients: [{ of: square(max(p, [1])), by: [p] }],
    programs: [{ outputs: { a: max(x, [1]), b: max(cube, [0, 2]), c: max(y, [-1]), d: max(x, []) } }],
  },
  topKValues: {
    values: [[topKValues(tied, three), [3, 3, 2]]],
    gradients: [{ of: slice(topKValues(p, three), 0, 1, 1), by: [p], is: 'refused' }],
    programs: [{ outputs: { scores: topKValues(input('s', 'float', ['n', 7]), k) }, fixed: { k: [3] } }],
  },
  topKIndices: {
    values: [[topKIndices(tied, three), [0, 2, 3]]],
    gradients: [{ of: toFloat(slice(topKIndices(p, three), 0, 1, 1)), by: [p], is: 'zero' }],
    programs: [
      {
        outputs: { ids: topKIndices(stopGradient(exp(x)), k), scores: topKValues(exp(x), k) },
        fixed: { k: [2] },
      },
      {
        // Equal numbers: the lower index comes first.
        outputs: {
          ids: topKIndices(toFloat(input('tied', 'int', ['n', 9])), k),
          one: topKIndices(x, constant([1], [1], 'int')),
          two: add(reshape(topKValues(x, constant([1], [1], 'int')), ['n', 1]), z),
          more: exp(topKValues(x, k)),
        },
        fixed: { k: [3] },
      },
      {
        // A row that is ranked by groups, in which each number occurs a thousand times.
        outputs: {
          ids: topKIndices(toFloat(input('long', 'int', ['n', 4100])), k),
          scores: topKValues(toFloat(input('long', 'int', ['n', 4100])), k),
        },
        fixed: { k: [20] },
      },
    ],
  },
  pick: {
    values: [[pick(six, constant([2, 0, 1, 1], [2, 2], 'int')), [3, 1, 5, 5]]],
    gradients: [{ of: pick(p, constant([0, 1, 2], [3, 1], 'int')), by: [p], is: 'refused' }],
    programs: [
      {
        outputs: {
          a: pick(x, input('places', 'int', ['n', 4])),
          b: pick(input('numbers', 'int', ['n', 4]), input('places', 'int', ['n', 4])),
          c: pick(x, topKIndices(x, k)),
        },
        below: { places: 3 },
        fixed: { k: [2] },
      },
    ],
  },
};
