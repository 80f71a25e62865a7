import type { Shape } from '@fuzzqe/core/tensor';
import * as tf from '@tensorflow/tfjs-core';
import type { Lowerings } from './lowering.ts';
import { gatherRows, pickElements } from './wasm-rows.ts';

const isStatic = (shape: Shape): boolean => shape.every((dim) => typeof dim === 'number');

/** Operations that copy or rearrange numbers; only scatterAdd also adds them. */
export const dataMovement: Lowerings<
  | 'transpose'
  | 'reshape'
  | 'broadcastLike'
  | 'concat'
  | 'slice'
  | 'gather'
  | 'scatterAdd'
  | 'regroup'
  | 'pick'
> = {
  transpose: {
    kernels: ['Transpose'],
    run: (node, [x]) => tf.transpose(x!, [...node.attributes.permutation]),
  },
  reshape: {
    kernels: ['Reshape'],
    run: (node, [x], { resolve }) => tf.reshape(x!, resolve(node.attributes.shape, x!.size)),
  },
  broadcastLike: {
    kernels: ['Tile'],
    // A tensor that is read only for its shape would be kept for it.
    reads: (node) => (isStatic(node.shape) ? node.inputs.slice(0, 1) : node.inputs),
    run: (node, [x, reference]) =>
      tf.broadcastTo(x!, reference === undefined ? [...(node.shape as readonly number[])] : reference.shape),
  },
  concat: { kernels: ['Concat'], run: (node, given) => tf.concat([...given], node.attributes.axis) },
  slice: {
    kernels: ['Slice'],
    run(node, [x]) {
      const { axis, start, end } = node.attributes;
      const begin = x!.shape.map((_, i) => (i === axis ? start : 0));
      return tf.slice(
        x!,
        begin,
        x!.shape.map((dimension, i) => (i === axis ? end - start : dimension)),
      );
    },
  },
  gather: {
    kernels: ['GatherV2'],
    run: (_, [table, indices], { backend }) =>
      backend === 'wasm' ? gatherRows(table!, indices!) : tf.gather(table!, indices!),
  },
  scatterAdd: {
    kernels: ['ScatterNd'],
    run(node, [indices, updates], { resolve }) {
      const rest = updates!.shape.slice(indices!.rank);
      const [rows] = resolve([node.attributes.rows]);
      // Equal indices add up in every backend, which the test of this operation asserts.
      return tf.scatterND(
        tf.reshape(indices!, [indices!.size, 1]),
        tf.reshape(updates!, [indices!.size, ...rest]),
        [rows!, ...rest],
      );
    },
  },
  regroup: {
    kernels: ['Concat', 'GatherV2'],
    reads: (node) => node.inputs.slice(0, 2), // the backward map is for the gradient
    run(_, [x, forward], { backend }) {
      const width = x!.shape.at(-1)!;
      const rows = tf.reshape(x!, [x!.size / width, width]);
      if (backend === 'wasm') return gatherRows(rows, forward!);
      // The index "number of rows" means a row of zeros.
      return tf.gather(tf.concat([rows, tf.zeros([1, width], rows.dtype)]), forward!);
    },
  },
  pick: {
    kernels: ['GatherV2'],
    run: (_, [x, places], { backend }) =>
      backend === 'wasm' ? pickElements(x!, places!) : tf.gather(x!, places!, 1, 1),
  },
};
