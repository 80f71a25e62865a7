import { elementTypes } from '../proto/element-type.ts';
import type { Lowerings } from './lowering.ts';

/** Operations between real and whole numbers: one ONNX operator each. */
export const quantisation: Lowerings<'round' | 'toInt' | 'toUint8' | 'integerMatmul'> = {
  round: { emit: (node, { value, result }) => result(node, 'Round', [value(node.inputs[0]!)]) },
  toInt: {
    emit: (node, { value, result }) =>
      result(node, 'Cast', [value(node.inputs[0]!)], { to: elementTypes.int32 }),
  },
  toUint8: {
    emit: (node, { value, result }) =>
      result(node, 'Cast', [value(node.inputs[0]!)], { to: elementTypes.uint8 }),
  },
  integerMatmul: {
    emit: (node, { value, result }) => result(node, 'MatMulInteger', node.inputs.map(value)),
  },
};
