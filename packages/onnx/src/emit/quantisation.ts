import { elementTypes } from '../proto/element-type.ts';
import type { Lowerings } from './lowering.ts';

/** What quantised programs need in addition to the rest: one ONNX operator each. */
export const quantisation: Lowerings<'round' | 'toInt' | 'toUint8' | 'integerMatmul' | 'pick'> = {
  round: { emit: (node, { value, result }) => result(node, 'Round', [value(node.inputs[0]!)]) },
  toInt: {
    emit: (node, { value, result }) =>
      result(node, 'Cast', [value(node.inputs[0]!)], { to: elementTypes.int32 }),
  },
  toUint8: {
    emit: (node, { value, result }) =>
      result(node, 'Cast', [value(node.inputs[0]!)], { to: elementTypes.uint8 }),
  },
  pick: {
    emit: (node, { value, result }) => result(node, 'GatherElements', node.inputs.map(value), { axis: 1 }),
  },
  integerMatmul: {
    emit: (node, { value, result }) => result(node, 'MatMulInteger', node.inputs.map(value)),
  },
};
