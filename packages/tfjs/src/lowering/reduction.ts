import type { Tensor, TensorOf } from '@fuzzqe/core/tensor';
import * as tf from '@tensorflow/tfjs-core';
import type { Lowering, LoweringContext, Lowerings } from './lowering.ts';

type Ranking = 'topKValues' | 'topKIndices';

const reduce = (
  kernel: string,
  apply: (x: tf.Tensor, axes: number[], keepDims: true) => tf.Tensor,
): Lowering<'sum' | 'max'> => ({
  kernels: [kernel],
  run: (node, [x]) => {
    const axes = [...new Set(node.attributes.axes)];
    // tfjs reads "no axes" as "all axes"; here it means that nothing is reduced.
    return axes.length === 0 ? x! : apply(x!, axes, true);
  },
});

/** One kernel gives values and indices: whichever is asked for first brings the other. */
function rank(node: TensorOf<Ranking>, x: tf.Tensor, context: LoweringContext): tf.Tensor {
  const { values, indices } = tf.topk(x, context.hostNumber(node.inputs[1]!), true);
  const twin = context.twin(node as Tensor);
  const own = node.op === 'topKValues' ? values : indices;
  if (twin !== undefined) context.provide(twin, own === values ? indices : values);
  return own;
}

const ranking: Lowering<Ranking> = {
  kernels: ['TopK'],
  reads: (node) => node.inputs.slice(0, 1), // k decides about a shape: it stays on the host
  run: (node, [x], context) => rank(node, x!, context),
};

/** Reductions along axes, and the k largest. */
export const reductions: Lowerings<'sum' | 'max' | Ranking> = {
  sum: reduce('Sum', tf.sum),
  max: reduce('Max', tf.max),
  topKValues: ranking,
  topKIndices: ranking,
};
