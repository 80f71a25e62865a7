import type { Random } from '@fuzzqe/core';
import { add, matmul, slice, type Tensor } from '@fuzzqe/core/tensor';
import { filled } from '../../config/filled.ts';

/** The names of the layers. */
export type BetaLayer = 'setAttention' | 'hopInput' | 'hopHidden' | 'hopOutput';

/**
 * The layers of BetaE, each a matrix [inputs, outputs] and a row of biases below it.
 *
 * The first layer of the attention has 2m outputs and the second m, which stand side by side. The second layer has no bias.
 */
export const layerShapes = (
  m: number,
): Readonly<Record<BetaLayer, readonly [rows: number, outputs: number]>> => ({
  setAttention: [2 * m + 1, 3 * m],
  hopInput: [3 * m + 1, 4 * m],
  hopHidden: [4 * m + 1, 4 * m],
  hopOutput: [4 * m + 1, 2 * m],
});

/** Draws a layer to start training from: uniform in ±√(6 / (inputs + outputs)), as Glorot and Bengio do, without biases. */
export function startLayer(m: number, name: BetaLayer, random: Random): Float32Array {
  const shape = layerShapes(m)[name];
  const inputs = shape[0] - 1;
  const bound = (outputs: number): number => Math.sqrt(6 / (inputs + outputs));
  const layer = filled(shape, random, (r) => 2 * r.uniform() - 1);
  return layer.map((value, at) => {
    const column = at % shape[1];
    const outputs = name !== 'setAttention' ? shape[1] : column < 2 * m ? 2 * m : m;
    return at < inputs * shape[1] ? bound(outputs) * value : 0;
  });
}

/** `x W + b`. Shapes: layer [i + 1, o], x [n, i] → [n, o]. */
export function dense(layer: Tensor, x: Tensor): Tensor {
  const [rows] = layer.shape as [number];
  return add(matmul(x, slice(layer, 0, rows - 1, 0)), slice(layer, rows - 1, rows, 0));
}
