export { createDimensions, type Dimensions } from './dimensions.ts';
export { evaluate, evaluateNode, type NumericTensors } from './evaluate.ts';
export { clip01, l2Norm, layerNorm, logSumExp, mean, square } from './functions.ts';
export { digamma, lgamma } from './gamma-functions.ts';
export { decodeHalf, encodeHalf } from './half.ts';
export { broadcastStrides, forEachElement, type NumericTensor, numeric, stridesOf } from './numeric.ts';
export type { Binding, Operation, Traits } from './operation.ts';
export {
  broadcastLike,
  concat,
  gather,
  regroup,
  reshape,
  scatterAdd,
  slice,
  transpose,
} from './ops/data-movement.ts';
export {
  add,
  div,
  exp,
  greaterOrEqual,
  log,
  maximum,
  minimum,
  mul,
  neg,
  sigmoid,
  softplus,
  sqrt,
  stopGradient,
  sub,
  toFloat,
  where,
} from './ops/elementwise.ts';
export { operations } from './ops/index.ts';
export { integerMatmul, matmul } from './ops/matmul.ts';
export { pick } from './ops/pick.ts';
export { round, toInt, toUint8 } from './ops/quantisation.ts';
export { max, sum, topKIndices, topKValues } from './ops/reduction.ts';
export { constant, input, parameter, scalar } from './ops/source.ts';
export { createProgram, type Program, type ProgramSource, withDimensionNames } from './program.ts';
export { broadcastShapes, type Dim, type DType, formatShape, type Shape, sizeOf } from './shape.ts';
export { labelled, type OpAttributes, type OpName, type Tensor, type TensorOf } from './tensor.ts';
export { withoutBroadcasts } from './without-broadcasts.ts';
