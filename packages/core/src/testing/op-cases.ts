import {
  add,
  broadcastLike,
  concat,
  constant,
  div,
  exp,
  gather,
  greaterOrEqual,
  input,
  integerMatmul,
  log,
  matmul,
  max,
  maximum,
  minimum,
  mul,
  neg,
  type OpName,
  parameter,
  pick,
  regroup,
  reshape,
  round,
  scatterAdd,
  sigmoid,
  slice,
  softplus,
  sqrt,
  stopGradient,
  sub,
  sum,
  type Tensor,
  toFloat,
  toInt,
  topKIndices,
  topKValues,
  toUint8,
  transpose,
  where,
} from '../tensor/index.ts';

/** A small program around one operation: its outputs, and the range of its int inputs where that is not [0, 4). */
export interface OpCase {
  readonly outputs: Readonly<Record<string, Tensor>>;
  readonly below?: Readonly<Record<string, number>>;
  /** Float inputs are in (0, 2) instead of around 0. */
  readonly positive?: true;
  /** Int inputs whose numbers matter together. */
  readonly fixed?: Readonly<Record<string, readonly number[]>>;
}

const x = input('x', 'float', ['n', 3]);
const y = input('y', 'float', [3]);
const z = input('z', 'float', ['n', 1]);
const ids = input('ids', 'int', ['n']);
const yes = input('yes', 'bool', ['n', 1]);
const k = input('k', 'int', [1]);
const cube = input('cube', 'float', ['n', 2, 3]);
const cubeRows = reshape(cube, ['rows', 3]);

const unary = (op: (a: Tensor) => Tensor): OpCase[] => [{ outputs: { a: op(x), b: op(y) }, positive: true }];
const binary = (op: (a: Tensor, b: Tensor) => Tensor): OpCase[] => [
  { outputs: { a: op(x, y), b: op(z, x), c: op(x, x), d: op(z, y) }, positive: true },
  {
    outputs: { a: op(broadcastLike(z, x), x), b: op(y, broadcastLike(z, x)), c: op(broadcastLike(z, x), z) },
  },
];

/** At least one program for every operation; `n` is an extent that is known only when the program runs. */
export const opCases: { readonly [K in OpName]: readonly OpCase[] } = {
  input: [{ outputs: { a: x, b: x, c: ids, d: yes } }],
  parameter: [{ outputs: { a: parameter('w', [2, 3]), b: parameter('index', [4], 'int') } }],
  constant: [
    {
      outputs: {
        a: constant([0.5, -1, 2]),
        b: add(x, constant([0.5, -1, 2])),
        c: constant([1, 2], [1, 2], 'int'),
        d: where(constant([1, 0, 1], [3], 'bool'), x, y),
      },
    },
  ],
  neg: unary(neg),
  exp: unary(exp),
  log: unary(log),
  sqrt: unary(sqrt),
  sigmoid: [...unary(sigmoid), { outputs: { a: sigmoid(mul(x, constant([40]))) } }],
  softplus: [...unary(softplus), { outputs: { a: softplus(mul(x, constant([40]))) } }],
  stopGradient: [
    { outputs: { a: stopGradient(x), b: stopGradient(neg(x)), c: stopGradient(stopGradient(y)) } },
  ],
  toFloat: [
    { outputs: { a: toFloat(ids), b: toFloat(yes), c: toFloat(x), d: toFloat(greaterOrEqual(x, y)) } },
  ],
  add: binary(add),
  sub: binary(sub),
  mul: binary(mul),
  div: [binary(div)[0]!],
  minimum: binary(minimum),
  maximum: binary(maximum),
  greaterOrEqual: [...binary(greaterOrEqual), { outputs: { a: greaterOrEqual(x, x) } }],
  where: [{ outputs: { a: where(yes, x, y), b: where(greaterOrEqual(x, y), x, constant([0])) } }],
  matmul: [
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
      },
    },
  ],
  transpose: [
    { outputs: { a: transpose(cube, [2, 0, 1]), b: transpose(yes, [1, 0]), c: transpose(x, [0, 1]) } },
  ],
  reshape: [
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
  broadcastLike: [
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
  concat: [
    {
      outputs: {
        a: concat([x, z, x], 1),
        b: concat([y, y]),
        c: concat([cube, cube], 2),
        d: concat([x, cubeRows, x]),
      },
    },
  ],
  slice: [
    { outputs: { a: slice(x, 1, 3, 1), b: slice(y, 0, 1), c: slice(cube, 1, 2, 1), d: slice(x, 0, 2) } },
  ],
  gather: [
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
  scatterAdd: [
    {
      outputs: {
        a: scatterAdd(ids, x, 4),
        b: scatterAdd(input('pairs', 'int', ['n', 2]), cube, 4),
        c: scatterAdd(ids, x, 'n'),
        d: scatterAdd(ids, reshape(z, ['n']), 6),
        e: scatterAdd(ids, input('wide', 'float', ['n', 'm']), 'm'),
      },
    },
  ],
  regroup: [
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
  sum: [
    { outputs: { a: sum(x, [1]), b: sum(cube, [0, 2]), c: sum(y, [-1]), d: sum(x, []), e: sum(x, [0, 1]) } },
  ],
  max: [{ outputs: { a: max(x, [1]), b: max(cube, [0, 2]), c: max(y, [-1]), d: max(x, []) } }],
  topKValues: [{ outputs: { scores: topKValues(input('s', 'float', ['n', 7]), k) }, fixed: { k: [3] } }],
  topKIndices: [
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
  ],
  pick: [
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
  round: [
    { outputs: { a: round(mul(x, constant([10]))), b: round(constant([0.5, 1.5, 2.5, -0.5, -1.5, 2.4])) } },
  ],
  toInt: [{ outputs: { a: toInt(round(mul(x, constant([1000])))), b: toInt(neg(toFloat(ids))) } }],
  toUint8: [{ outputs: { a: toFloat(toUint8(round(mul(x, constant([100]))))) }, positive: true }],
  integerMatmul: [
    {
      outputs: {
        a: integerMatmul(input('u', 'uint8', ['n', 6]), input('v', 'int8', [6, 3])),
        b: integerMatmul(input('rows', 'uint8', ['n', 1, 6]), input('matrices', 'int8', ['n', 6, 3])),
        c: toFloat(input('v', 'int8', [6, 3])),
        d: gather(input('v', 'int8', [6, 3]), ids),
        e: toFloat(gather(input('h', 'half', [4, 3]), ids)),
      },
    },
  ],
};
