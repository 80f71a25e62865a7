import { FuzzError } from '@fuzzqe/core';
import { formatShape, type Shape, type TensorOf } from '@fuzzqe/core/tensor';
import { elementTypeOf, elementTypes } from '../proto/element-type.ts';
import type { ShapedValue } from './graph-builder.ts';
import { type LoweringContext, type Lowerings, withoutStopGradient } from './lowering.ts';

const isStatic = (shape: Shape): shape is readonly number[] => shape.every((dim) => typeof dim === 'number');

/** Operations that copy or rearrange numbers; only scatterAdd also adds them. */
export const dataMovement: Lowerings<
  'transpose' | 'reshape' | 'broadcastLike' | 'concat' | 'slice' | 'gather' | 'scatterAdd' | 'regroup'
> = {
  transpose: {
    emit: (node, { value, result }) =>
      result(node, 'Transpose', [value(node.inputs[0]!)], { perm: node.attributes.permutation }),
  },
  reshape: {
    emit(node, context) {
      const x = node.inputs[0]!;
      const near = [{ name: context.value(x), shape: x.shape }];
      const target = reshapeTarget(node.attributes.shape, near, context);
      // A 0 in the target means "as before" to ONNX unless allowzero says that it means 0.
      const attributes = node.attributes.shape.includes(0) ? { allowzero: 1 } : {};
      return context.result(node, 'Reshape', [context.value(x), target], attributes);
    },
  },
  broadcastLike: {
    reads: (node) => (isStatic(node.shape) ? [node.inputs[0]!] : node.inputs),
    emit(node, { graph, value, result }) {
      const [x, reference] = node.inputs;
      const shape = isStatic(node.shape)
        ? graph.integers(node.shape)
        : graph.once(`Shape ${value(reference!)}`, () => [graph.node('Shape', [value(reference!)])])[0]!;
      return result(node, 'Expand', [value(x!), shape]);
    },
  },
  concat: {
    emit: (node, { value, result }) =>
      result(node, 'Concat', node.inputs.map(value), { axis: node.attributes.axis }),
  },
  slice: {
    emit(node, { graph, value, result }) {
      const { axis, start, end } = node.attributes;
      const stored = withoutStopGradient(node.inputs[0]!);
      if (axis === 0 && stored.op === 'parameter') {
        const rows = graph.rows(stored.attributes.name, start, end);
        if (rows !== undefined) return rows;
      }
      const range = [[start], [end], [axis]].map((numbers) => graph.integers(numbers));
      return result(node, 'Slice', [value(node.inputs[0]!), ...range]);
    },
  },
  gather: {
    emit: (node, { value, result }) => result(node, 'Gather', node.inputs.map(value), { axis: 0 }),
  },
  scatterAdd: { emit: emitScatterAdd },
  regroup: {
    reads: (node) => node.inputs.slice(0, 2), // the backward map is for the gradient
    emit: emitRegroup,
  },
};

/** The target of a Reshape: the one dimension that nobody knows, or the only one with a name, is -1. */
function reshapeTarget(shape: Shape, near: readonly ShapedValue[], { graph }: LoweringContext): string {
  const names = shape.filter((dim) => typeof dim === 'string');
  const unknown = names.filter((dim) => !graph.knows(dim, near));
  if (unknown.length > 1)
    throw new FuzzError(
      'shape',
      `the dimensions ${unknown.map((dim) => `"${dim}"`).join(' and ')} of ${formatShape(shape)} are not known here`,
      { hint: 'at most one dimension can follow from the number of elements' },
    );
  const rest = shape.includes(0) ? undefined : (unknown[0] ?? (names.length === 1 ? names[0] : undefined));
  const at = rest === undefined ? -1 : shape.indexOf(rest);
  return graph.dimensions(
    shape.map((dim, axis) => (axis === at ? -1 : dim)),
    near,
  );
}

/** Updates are added to rows of zeros by ScatterND, whose indices are int64 with an axis of their own at the end. */
function emitScatterAdd(node: TensorOf<'scatterAdd'>, { graph, value, result }: LoweringContext): string {
  const [indices, updates] = node.inputs;
  const near = [indices!, updates!].map((tensor) => ({ name: value(tensor), shape: tensor.shape }));
  // The axis is added while the indices are int32: the WebGPU provider hands int64 nodes to the CPU.
  const rows = graph.once(`rows ${value(indices!)}`, () => {
    const column = graph.node('Unsqueeze', [value(indices!), graph.integers([-1])]);
    return [graph.node('Cast', [column], { to: elementTypes.int64 })];
  })[0]!;
  const zeros = graph.node('ConstantOfShape', [graph.dimensions(node.shape, near)]);
  // Where no two rows are the same there is nothing to add to, and no thread waits for another.
  const attributes = node.attributes.distinct ? {} : { reduction: 'add' };
  return result(node, 'ScatterND', [zeros, rows, value(updates!)], attributes);
}

/** Rows are gathered from the table with one row of zeros at its end, which the index "number of rows" means. */
function emitRegroup(node: TensorOf<'regroup'>, context: LoweringContext): string {
  const { graph, value, result } = context;
  const [x, forward] = node.inputs;
  const width = x!.shape.at(-1)!;
  const near = [{ name: value(x!), shape: x!.shape }];
  const table = graph.once(`padded ${value(x!)}`, () => {
    const rows =
      x!.shape.length === 2
        ? value(x!)
        : graph.node('Reshape', [value(x!), graph.dimensions([-1, width], near)]);
    const type = elementTypeOf[x!.dtype];
    const zeros =
      typeof width === 'number'
        ? graph.constant(type, [1, width], new Array<number>(width).fill(0), 'zeroRow')
        : graph.node('Expand', [
            graph.constant(type, [1, 1], [0], 'zero'),
            graph.dimensions([1, width], near),
          ]);
    return [graph.node('Concat', [rows, zeros], { axis: 0 })];
  })[0]!;
  return result(node, 'Gather', [table, value(forward!)], { axis: 0 });
}
