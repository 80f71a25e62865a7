import { FuzzError } from '@fuzzqe/core';
import {
  broadcastLike,
  div,
  gather,
  greaterOrEqual,
  matmul,
  maximum,
  mul,
  neg,
  type OpName,
  regroup,
  reshape,
  scalar,
  scatterAdd,
  sigmoid,
  slice,
  stopGradient,
  sub,
  sum,
  type Tensor,
  type TensorOf,
  toFloat,
  transpose,
  where,
} from '@fuzzqe/core/tensor';

/** What each input of a node contributes to the loss, given the gradient of the node; undefined means nothing. */
export type GradientRule<K extends OpName> = (
  node: TensorOf<K>,
  gradient: Tensor,
) => readonly (Tensor | undefined)[];

const nothing = (): readonly undefined[] => [];
const half = scalar(0.5);
const two = scalar(2);
const zero = scalar(0);

/** A gradient repeated to the node's own shape: sums leave theirs unrepeated, because most consumers broadcast. */
const full = (gradient: Tensor, node: { shape: Tensor['shape'] }): Tensor =>
  broadcastLike(gradient, node as Tensor);

/** `xᵀ` over the last two axes. */
export function transposed(x: Tensor): Tensor {
  const axes = x.shape.map((_, axis) => axis);
  const swapped = [...axes.slice(0, -2), axes.length - 1, axes.length - 2];
  const isTransposed = x.op === 'transpose' && x.attributes.permutation.join() === swapped.join();
  return isTransposed ? x.inputs[0]! : transpose(x, swapped);
}

/** The gradient rule of every operation. */
export const rules: { readonly [K in OpName]: GradientRule<K> } = {
  input: nothing,
  parameter: nothing,
  constant: nothing,
  stopGradient: nothing,
  greaterOrEqual: nothing,
  topKIndices: nothing,
  toInt: nothing,
  toUint8: nothing,
  integerMatmul: nothing,
  // Ids and truth values are not learned; numbers that are real already pass unchanged.
  toFloat: ({ inputs: [x] }, dy) => (x!.dtype === 'float' || x!.dtype === 'half' ? [dy] : []),
  neg: (_, dy) => [neg(dy)],
  exp: (y, dy) => [mul(dy, y as Tensor)],
  log: ({ inputs: [x] }, dy) => [div(dy, x!)],
  sqrt: (y, dy) => [mul(dy, div(half, y as Tensor))],
  sigmoid: (y, dy) => [mul(dy, mul(y as Tensor, sub(scalar(1), y as Tensor)))],
  softplus: ({ inputs: [x] }, dy) => [mul(dy, sigmoid(x!))],
  add: (_, dy) => [dy, dy],
  sub: (_, dy) => [dy, neg(dy)],
  mul: ({ inputs: [a, b] }, dy) => (a === b ? [mul(mul(dy, two), a!)] : [mul(dy, b!), mul(dy, a!)]),
  div(y, dy) {
    const ofDividend = div(dy, y.inputs[1]!);
    return [ofDividend, neg(mul(ofDividend, y as Tensor))];
  },
  // Where both are equal, the first takes the whole gradient: any choice between them is a subgradient.
  minimum: ({ inputs: [a, b] }, dy) => split(greaterOrEqual(b!, a!), dy),
  maximum(node, dy) {
    const [a, b] = node.inputs as [Tensor, Tensor];
    const isAbsolute = b.op === 'neg' && b.inputs[0] === a;
    return isAbsolute ? [mul(dy, signOf(a, node as Tensor))] : split(greaterOrEqual(a, b), dy);
  },
  where: ({ inputs: [condition] }, dy) => [undefined, ...split(condition!, dy)],
  matmul(node, gradient) {
    const [a, b] = node.inputs as [Tensor, Tensor];
    const dy = full(gradient, node);
    return [reduceBatch(matmul(dy, transposed(b)), a), reduceBatch(matmul(transposed(a), dy), b)];
  },
  transpose(node, dy) {
    const { permutation } = node.attributes;
    const inverse = permutation.map((_, axis) => permutation.indexOf(axis));
    // (a b)ᵀ = bᵀ aᵀ: a product is written as it is wanted, which saves a pass over what may be a large table.
    if (dy.op === 'matmul' && permutation.length === 2 && permutation[0] === 1) {
      const [a, b] = dy.inputs as [Tensor, Tensor];
      return [matmul(transposed(b), transposed(a))];
    }
    return [transpose(full(dy, node), inverse)];
  },
  reshape: (node, dy) => [reshape(full(dy, node), node.inputs[0]!.shape)],
  broadcastLike: (node, dy) => [full(dy, node)],
  concat(node, gradient) {
    const { axis } = node.attributes;
    const dy = full(gradient, node);
    let at = 0;
    return node.inputs.map((input) => {
      const start = at;
      const dimension = input.shape[axis];
      if (typeof dimension !== 'number')
        throw new FuzzError('shape', `the gradient of a join needs to know the dimension "${dimension}"`);
      at += dimension;
      return slice(dy, start, at, axis);
    });
  },
  slice() {
    throw new FuzzError('shape', 'slices are joined where gradients are summed');
  },
  gather: (node, dy) => {
    const [table, indices] = node.inputs as [Tensor, Tensor];
    return [scatterAdd(indices, full(dy, node), table.shape[0]!, node.attributes)];
  },
  scatterAdd: (node, dy) => [undefined, gather(full(dy, node), node.inputs[0]!, node.attributes)],
  regroup: (node, dy) => {
    const [, forward, backward] = node.inputs as [Tensor, Tensor, Tensor];
    return [regroup(full(dy, node), backward, forward)];
  },
  sum: (_, dy) => [dy],
  max(node, dy) {
    const x = node.inputs[0]!;
    const hit = toFloat(greaterOrEqual(x, node as Tensor));
    // Equal maxima share the gradient.
    return [mul(dy, stopGradient(div(hit, sum(hit, node.attributes.axes))))];
  },
  topKValues: noGradient,
  round: noGradient,
  pick: noGradient,
};

/** The sign of x, given |x|: a quotient, because ONNX Runtime takes many times as long for a selection. 0 where x is 0. */
function signOf(x: Tensor, absolute: Tensor): Tensor {
  return div(x, maximum(absolute, scalar(1e-30)));
}

function split(condition: Tensor, dy: Tensor): [Tensor, Tensor] {
  return [where(condition, dy, zero), where(condition, zero, dy)];
}

/** Sums over batch axes that the input of a matrix product did not have. */
function reduceBatch(gradient: Tensor, input: Tensor): Tensor {
  const extra = gradient.shape.length - input.shape.length;
  if (extra === 0) return gradient;
  const axes = Array.from({ length: extra }, (_, axis) => axis);
  return reshape(sum(gradient, axes), input.shape);
}

function noGradient(node: { readonly op: OpName }): never {
  throw new FuzzError('shape', `${node.op} has no gradient`);
}
