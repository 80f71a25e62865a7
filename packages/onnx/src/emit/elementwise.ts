import { type OpName, type Tensor, withoutBroadcasts } from '@fuzzqe/core/tensor';
import { elementTypeOf, elementTypes } from '../proto/element-type.ts';
import { type Lowering, type Lowerings, withoutStopGradient } from './lowering.ts';

type Unary = 'neg' | 'exp' | 'log' | 'sqrt' | 'sigmoid' | 'softplus';
type Broadcast = 'add' | 'sub' | 'mul' | 'div' | 'minimum' | 'maximum' | 'greaterOrEqual' | 'where';

const unary = (opType: string): Lowering<Unary> => ({
  emit: (node, { value, result }) => result(node, opType, [value(node.inputs[0]!)]),
});

const read = (node: Tensor): readonly Tensor[] => withoutBroadcasts(node, withoutStopGradient);

const broadcast = (opType: string): Lowering<Broadcast> => ({
  reads: read,
  emit: (node, { value, result }) => result(node, opType, read(node).map(value)),
});

/** The element-wise operations: one ONNX operator each. */
export const elementwise: Lowerings<Unary | Broadcast | 'toFloat' | 'stopGradient'> = {
  neg: unary('Neg'),
  exp: unary('Exp'),
  log: unary('Log'),
  sqrt: unary('Sqrt'),
  sigmoid: unary('Sigmoid'),
  softplus: unary('Softplus'),
  stopGradient: { emit: (node, { value }) => value(node.inputs[0]!) },
  toFloat: {
    emit: (node, { value, result }) => {
      const x = node.inputs[0]!;
      return x.dtype === 'float' ? value(x) : result(node, 'Cast', [value(x)], { to: elementTypes.float });
    },
  },
  add: broadcast('Add'),
  sub: broadcast('Sub'),
  mul: broadcast('Mul'),
  div: broadcast('Div'),
  minimum: broadcast('Min'),
  maximum: broadcast('Max'),
  greaterOrEqual: broadcast('GreaterOrEqual'),
  where: broadcast('Where'),
};

/** Numbers from outside the graph, and numbers written into it. */
export const sources: Lowerings<Extract<OpName, 'input' | 'parameter' | 'constant'>> = {
  input: { emit: (node) => node.attributes.name },
  parameter: { emit: (node) => node.attributes.name },
  constant: {
    emit: (node, { graph }) =>
      graph.constant(
        elementTypeOf[node.dtype],
        node.shape as readonly number[],
        node.attributes.values,
        node.label ?? node.op,
      ),
  },
};
