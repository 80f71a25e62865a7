import { withoutBroadcasts } from '@fuzzqe/core/tensor';
import * as tf from '@tensorflow/tfjs-core';
import type { Lowering, Lowerings } from './lowering.ts';

type Unary = 'neg' | 'exp' | 'log' | 'sqrt' | 'sigmoid' | 'softplus' | 'round';
type Binary = 'add' | 'sub' | 'mul' | 'div' | 'minimum' | 'maximum' | 'greaterOrEqual';

const unary = (kernel: string, apply: (x: tf.Tensor) => tf.Tensor): Lowering<Unary> => ({
  kernels: [kernel],
  run: (_, [x]) => apply(x!),
});

const binary = (kernel: string, apply: (a: tf.Tensor, b: tf.Tensor) => tf.Tensor): Lowering<Binary> => ({
  kernels: [kernel],
  reads: (node) => withoutBroadcasts(node),
  run: (_, [a, b]) => apply(a!, b!),
});

/** The element-wise operations: one kernel each. */
export const elementwise: Lowerings<
  Unary | Binary | 'stopGradient' | 'toFloat' | 'toInt' | 'toUint8' | 'where'
> = {
  neg: unary('Neg', tf.neg),
  exp: unary('Exp', tf.exp),
  log: unary('Log', tf.log),
  sqrt: unary('Sqrt', tf.sqrt),
  sigmoid: unary('Sigmoid', tf.sigmoid),
  softplus: unary('Softplus', tf.softplus),
  round: unary('Round', tf.round),
  stopGradient: { kernels: ['Identity'], run: (_, [x]) => tf.customGrad(stopped)(x!) },
  toFloat: { kernels: ['Cast'], run: (_, [x]) => tf.cast(x!, 'float32') },
  toInt: { kernels: ['Cast'], run: (_, [x]) => tf.cast(x!, 'int32') },
  // Whole numbers of one byte are held as float32, which has all of them.
  toUint8: { kernels: [], run: (_, [x]) => x! },
  add: binary('Add', tf.add),
  sub: binary('Sub', tf.sub),
  mul: binary('Multiply', tf.mul),
  div: binary('RealDiv', tf.div),
  minimum: binary('Minimum', tf.minimum),
  maximum: binary('Maximum', tf.maximum),
  greaterOrEqual: binary('GreaterEqual', tf.greaterEqual),
  where: {
    kernels: ['Select'],
    run: (_, [condition, a, b]) => tf.where(condition!, a!, b!),
  },
};

/** For tfjs's own gradients, with which ours are compared. */
function stopped(x: tf.Tensor | tf.GradSaveFunc): {
  value: tf.Tensor;
  gradFunc: (dy: tf.Tensor) => tf.Tensor;
} {
  return { value: (x as tf.Tensor).clone(), gradFunc: tf.zerosLike };
}
