import { add, broadcastLike, div, scalar, type Tensor } from '@fuzzqe/core/tensor';
import { presentOr } from './alternatives.ts';
import { layerOf, relu } from './attention.ts';

/** Operands of a conjunction as a network of their set sees them. Shapes: [n, m] each. */
export interface Seen {
  /** The sum of the first layer over the operands. */
  readonly seen: Tensor;
  /** The number of operands, in every element. */
  readonly count: Tensor;
}

/**
 * Layers to start training from that give the mean of operands: the unit matrix twice, with the biases `bound` and `−bound`.
 *
 * So conjunctions make sense in a model that is trained on links only. Ranges: an element below −bound counts as −bound.
 */
export function startMean(m: number, bound: number): Float32Array {
  const layers = new Float32Array(2 * (m + 1) * m);
  for (const [at, bias] of [bound, -bound].entries()) {
    const layer = layers.subarray(at * (m + 1) * m, (at + 1) * (m + 1) * m).fill(bias, m * m);
    for (let i = 0; i < m; i += 1) layer[i * (m + 1)] = 1;
  }
  return layers;
}

/** What a network sees of one operand: what the operand keeps if it is a conjunction itself, otherwise `relu(x V₁ + d₁)` and 1. */
export function seenOf(layers: Tensor, x: Tensor, { seen, count }: Seen): Seen {
  return {
    seen: presentOr(seen, relu(layerOf(layers, 0, x))),
    count: presentOr(count, broadcastLike(scalar(1), count)),
  };
}

/** What a network sees of the operands of two conjunctions together. */
export const seenTogether = (a: Seen, b: Seen): Seen => ({
  seen: add(a.seen, b.seen),
  count: add(a.count, b.count),
});

/**
 * Computes the network of a set of operands: `(1/n) Σ_i relu(x_i V₁ + d₁) V₂ + d₂`.
 *
 * Shapes: layers [2, m + 1, m] → [n, m].
 * Source: Ren, Hu and Leskovec, "Query2Box", ICLR 2020, section 3.2 (DeepSets).
 */
export const deepSets = (layers: Tensor, { seen, count }: Seen): Tensor =>
  layerOf(layers, 1, div(seen, count));
