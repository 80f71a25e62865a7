import { FuzzError } from '@fuzzqe/core';
import {
  add,
  broadcastLike,
  concat,
  formatShape,
  matmul,
  neg,
  type OpName,
  operations,
  reshape,
  scalar,
  scatterAdd,
  slice,
  sum,
  type Tensor,
  type TensorOf,
} from '@fuzzqe/core/tensor';
import { rules, transposed } from './rules.ts';

/** A piece of a gradient that covers only part of one axis: what the gradient of a slice is. */
interface Piece {
  readonly axis: number;
  readonly start: number;
  readonly end: number;
  readonly gradient: Tensor;
}

/** One of the products `a·b` that a matrix b takes part in: what the gradient of b is made of. */
interface Product {
  readonly left: Tensor;
  readonly gradient: Tensor;
}

/** The rows of a table that one gather takes, with their gradient. */
interface Rows {
  readonly rows: Tensor;
  readonly gradient: Tensor;
}

/**
 * The gradients of a scalar with respect to tensors that it was computed from, by reverse-mode differentiation.
 *
 * `∂loss/∂x = Σ over consumers y of x: (∂loss/∂y)·(∂y/∂x)`, walked from the loss to the sources. The result is more
 * of the same tensor program, so every runtime that can run the model can also train it.
 *
 * Shapes: one gradient for each tensor in `wrt`, of the same shape. Errors: 'shape' where the loss is not one number
 * or a tensor does not influence it; one that `mayBeUnused` then has a gradient of zeros.
 */
export function gradients(
  loss: Tensor,
  wrt: readonly Tensor[],
  mayBeUnused: (tensor: Tensor) => boolean = () => false,
): Tensor[] {
  if (loss.shape.some((dim) => dim !== 1))
    throw new FuzzError('shape', `a loss is one number, got ${formatShape(loss.shape)}`);
  const whole = new Map<Tensor, Tensor>([[loss, reshape(scalar(1), loss.shape)]]);
  const pieces = new Map<Tensor, Piece[]>();
  const products = new Map<Tensor, Product[]>();
  const gathered = new Map<Tensor, Rows[]>();
  const order = topological(loss);
  const needed = influencedBy(order, new Set(wrt));

  for (const node of order.reverse()) {
    if (!needed.has(node)) continue;
    const gradient = total(
      node,
      whole.get(node),
      pieces.get(node) ?? [],
      products.get(node) ?? [],
      gathered.get(node) ?? [],
    );
    if (gradient === undefined) continue;
    whole.set(node, gradient);
    if (node.op === 'slice') {
      const source = node.inputs[0]!;
      const piece = { ...node.attributes, gradient: broadcastLike(gradient, node) };
      pieces.set(source, [...(pieces.get(source) ?? []), piece]);
      continue;
    }
    if (node.op === 'gather' && !node.attributes.distinct && node.inputs[1]!.shape.length === 1) {
      const [table, rows] = node.inputs as [Tensor, Tensor];
      gathered.set(table, [
        ...(gathered.get(table) ?? []),
        { rows, gradient: broadcastLike(gradient, node) },
      ]);
      continue;
    }
    const [left, right] = node.inputs;
    const deferred = node.op === 'matmul' && needed.has(right!) && sameBatch(left!, right!);
    if (deferred) {
      const product = { left: left!, gradient: broadcastLike(gradient, node) };
      products.set(right!, [...(products.get(right!) ?? []), product]);
    }
    const contributions = backward(node, gradient);
    node.inputs.forEach((input, i) => {
      const contribution = contributions[i];
      if (contribution === undefined || !needed.has(input) || (deferred && i === 1)) return;
      const reduced = operations[node.op].traits.repeats
        ? unbroadcast(contribution, node, input)
        : contribution;
      const sofar = whole.get(input);
      whole.set(input, sofar === undefined ? reduced : add(sofar, reduced));
    });
  }
  return wrt.map((tensor) => {
    const gradient = whole.get(tensor);
    if (gradient === undefined && mayBeUnused(tensor)) return broadcastLike(scalar(0), tensor);
    if (gradient === undefined)
      throw new FuzzError('shape', `the loss does not depend on ${JSON.stringify(tensor.attributes)}`);
    return broadcastLike(gradient, tensor);
  });
}

function backward<K extends OpName>(node: TensorOf<K>, gradient: Tensor): readonly (Tensor | undefined)[] {
  return rules[node.op](node, gradient);
}

/** Sums a gradient over the axes along which the input was repeated to take part in `node`. */
function unbroadcast(gradient: Tensor, node: Tensor, input: Tensor): Tensor {
  const extra = gradient.shape.length - input.shape.length;
  const repeated = gradient.shape.flatMap((dim, axis) =>
    dim !== 1 && (input.shape[axis - extra] ?? 1) === 1 ? [axis] : [],
  );
  const lazy =
    gradient.shape.length === node.shape.length &&
    gradient.shape.some(
      (dim, axis) => dim === 1 && node.shape[axis] !== 1 && (input.shape[axis - extra] ?? 1) === 1,
    );
  if (lazy) return unbroadcast(broadcastLike(gradient, node), node, input);
  // The sum is negated and not what is summed, of which there is more.
  if (gradient.op === 'neg' && repeated.length > 0) return neg(unbroadcast(gradient.inputs[0]!, node, input));
  const reduced = repeated.length === 0 ? gradient : sum(gradient, repeated);
  return extra > 0 ? reshape(reduced, reduced.shape.slice(extra)) : reduced;
}

/** Whether both sides of a product have the same batch axes, so that no gradient is summed over one. */
function sameBatch(left: Tensor, right: Tensor): boolean {
  const batch = (x: Tensor): string => formatShape(x.shape.slice(0, -2));
  return left.shape.length === right.shape.length && batch(left) === batch(right);
}

/**
 * `Σ aᵢᵀ·∂yᵢ` as one product `(a₁; a₂; …)ᵀ·(∂y₁; ∂y₂; …)`.
 *
 * A matrix that several levels multiply with, above all W_r of every relation, is large: its gradient is then written
 * once, not once a level and added up.
 */
function gradientOfProducts(products: readonly Product[]): Tensor {
  const axis = products[0]!.left.shape.length - 2;
  const left = concat(
    products.map((product) => product.left),
    axis,
  );
  return matmul(
    transposed(left),
    concat(
      products.map((product) => product.gradient),
      axis,
    ),
  );
}

/** The gradient of a table of which several gathers take rows: one addition of all rows, because each one writes a whole table. */
function gradientOfRows(table: Tensor, gathered: readonly Rows[]): Tensor {
  const joinedParts = (x: Tensor): readonly Tensor[] =>
    x.op === 'concat' && x.attributes.axis === 0 ? x.inputs : [x];
  return scatterAdd(
    concat(gathered.map(({ rows }) => rows)),
    concat(gathered.flatMap(({ gradient }) => joinedParts(gradient))),
    table.shape[0]!,
  );
}

/**
 * The gradient of a node from what came whole, in pieces (gaps between them are zero), from products with it on
 * the right and from rows of it.
 */
function total(
  node: Tensor,
  whole: Tensor | undefined,
  pieces: readonly Piece[],
  products: readonly Product[],
  gathered: readonly Rows[],
): Tensor | undefined {
  let result = whole;
  if (gathered.length > 0) {
    const gradient = gradientOfRows(node, gathered);
    result = result === undefined ? gradient : add(result, gradient);
  }
  if (products.length > 0) {
    const gradient = gradientOfProducts(products);
    result = result === undefined ? gradient : add(result, gradient);
  }
  let rest = [...pieces].sort((a, b) => a.axis - b.axis || a.start - b.start);
  while (rest.length > 0) {
    // One layer is a set of pieces of one axis that do not overlap; overlapping ones go to the next layer.
    const layer: Piece[] = [];
    const later: Piece[] = [];
    for (const piece of rest) {
      const last = layer.at(-1);
      const fits = last === undefined || (last.axis === piece.axis && last.end <= piece.start);
      (fits ? layer : later).push(piece);
    }
    const joined = join(node, layer);
    result = result === undefined ? joined : add(result, joined);
    rest = later;
  }
  return result;
}

function join(node: Tensor, layer: readonly Piece[]): Tensor {
  const axis = layer[0]!.axis;
  const dimension = node.shape[axis] as number;
  const parts: Tensor[] = [];
  let at = 0;
  const gap = (end: number): void => {
    if (end > at) {
      const zero = reshape(
        scalar(0),
        node.shape.map(() => 1),
      );
      parts.push(broadcastLike(zero, slice(node, at, end, axis)));
    }
  };
  for (const piece of layer) {
    gap(piece.start);
    parts.push(piece.gradient);
    at = piece.end;
  }
  gap(dimension);
  return concat(parts, axis);
}

/** Every node that `root` needs, each after what it needs itself. */
function topological(root: Tensor): Tensor[] {
  const order: Tensor[] = [];
  const done = new Set<Tensor>();
  const stack: Tensor[] = [root];
  while (stack.length > 0) {
    const node = stack.at(-1)!;
    const waiting = done.has(node) ? [] : node.inputs.filter((input) => !done.has(input));
    if (waiting.length > 0) {
      stack.push(...waiting);
      continue;
    }
    stack.pop();
    if (!done.has(node)) {
      done.add(node);
      order.push(node);
    }
  }
  return order;
}

/** The nodes through which the sources reach the loss; gradients of all others are never asked for. */
function influencedBy(order: readonly Tensor[], sources: ReadonlySet<Tensor>): Set<Tensor> {
  const influenced = new Set<Tensor>();
  for (const node of order)
    if (sources.has(node) || node.inputs.some((input) => influenced.has(input))) influenced.add(node);
  return influenced;
}
