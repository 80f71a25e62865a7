import type { Random } from '@fuzzqe/core';
import {
  add,
  concat,
  div,
  exp,
  log,
  matmul,
  maximum,
  mul,
  reshape,
  scalar,
  slice,
  sub,
  type Tensor,
} from '@fuzzqe/core/tensor';
import { filled } from '../config/filled.ts';

/** The shape of two layers of m neurons: for each layer a matrix, then a row of biases. */
export const layersShape = (m: number): readonly number[] => [2, m + 1, m];

/** Layers to start training from: uniform with a variance of 1/m, without biases. */
export function startLayers(m: number, random: Random): Float32Array {
  const bound = Math.sqrt(3 / m);
  const layers = filled(layersShape(m), random, (r) => bound * (2 * r.uniform() - 1));
  for (const layer of [0, 1]) layers.fill(0, ((layer + 1) * (m + 1) - 1) * m, (layer + 1) * (m + 1) * m);
  return layers;
}

/** One layer, `x W + b`, or `x W`. Shapes: layers [2, m + 1, m], x [n, m] → [n, m]. */
export function layerOf(layers: Tensor, at: number, x: Tensor, hasBias = true): Tensor {
  const m = layers.shape[2] as number;
  const layer = reshape(slice(layers, at, at + 1, 0), [m + 1, m]);
  const product = matmul(x, slice(layer, 0, m, 0));
  return hasBias ? add(product, slice(layer, m, m + 1, 0)) : product;
}

/** max(x, 0). */
export const relu = (x: Tensor): Tensor => maximum(scalar(0), x);

/**
 * Computes the attention of an operand of a conjunction, the logarithm of the weight of each element: `relu(x W₁ + b₁) W₂`.
 *
 * A bias of the second layer would be the same for all operands, and change no weight. Its row is not used.
 *
 * Shapes: layers [2, m + 1, m], x [n, m] → [n, m].
 */
export function attention(layers: Tensor, x: Tensor): Tensor {
  return layerOf(layers, 1, relu(layerOf(layers, 0, x)), false);
}

/** Vectors with the logarithms of the weights of their elements. */
export interface Weighed {
  readonly x: Tensor;
  readonly logWeights: Tensor;
}

/**
 * The mean of two vectors by the weights of their elements, with the sum of the weights: so means of means are means of all.
 *
 * Joined one after the other, n vectors have the softmax of n over their attention. Shapes: [n, m] each → [n, m] each.
 */
export function weighedMean(a: Weighed, b: Weighed): Weighed {
  const top = maximum(a.logWeights, b.logWeights);
  const [ofA, ofB] = [exp(sub(a.logWeights, top)), exp(sub(b.logWeights, top))];
  const total = add(ofA, ofB);
  return {
    x: div(add(mul(a.x, ofA), mul(b.x, ofB)), total),
    logWeights: add(top, log(total)),
  };
}

/** Parts of vectors side by side. */
export const beside = (...parts: readonly Tensor[]): Tensor => concat([...parts], 1);
