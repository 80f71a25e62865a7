import type { attributeTypes, ElementType } from '../proto/element-type.ts';

/** An element type, or a type variable that stands for the same element type everywhere in one node. */
export type OperandType = ElementType | 'T' | 'N' | 'I';

/** The element types that a type variable can stand for: anything, numbers that can be added, indices. */
export const typeConstraints: Readonly<Record<'T' | 'N' | 'I', readonly ElementType[]>> = {
  T: ['float', 'int32', 'int64', 'bool', 'float16', 'int8', 'uint8'],
  N: ['float', 'int32', 'int64'],
  I: ['int32', 'int64'],
};

/** What a node of one operator may look like. */
export interface OperatorRule {
  readonly inputs: readonly OperandType[];
  /** How many of the inputs must be there; all of them where this is left out. */
  readonly required?: number;
  /** The last input may occur any number of times. */
  readonly repeats?: true;
  /** The element types of the outputs: `to` and `value` stand in the attribute of that name, `branches` in the graphs inside. */
  readonly outputs: readonly (OperandType | 'to' | 'value')[] | 'branches';
  readonly attributes?: Readonly<Record<string, keyof typeof attributeTypes>>;
  /** Attributes that must be there. */
  readonly needs?: readonly string[];
}

const floatToFloat: OperatorRule = { inputs: ['float'], outputs: ['float'] };
const arithmetic: OperatorRule = { inputs: ['N', 'N'], outputs: ['N'] };
const reduction: OperatorRule = {
  inputs: ['N', 'int64'],
  required: 1,
  outputs: ['N'],
  attributes: { keepdims: 'i', noop_with_empty_axes: 'i' },
};

/** The operators of ONNX (opset 21) that FuzzQE writes. Source: https://onnx.ai/onnx/operators/ */
export const operatorRules: ReadonlyMap<string, OperatorRule> = new Map<string, OperatorRule>([
  ['Add', arithmetic],
  ['Cast', { inputs: ['T'], outputs: ['to'], attributes: { to: 'i' }, needs: ['to'] }],
  ['Concat', { inputs: ['T'], repeats: true, outputs: ['T'], attributes: { axis: 'i' }, needs: ['axis'] }],
  ['ConstantOfShape', { inputs: ['int64'], outputs: ['value'], attributes: { value: 't' } }],
  ['Div', arithmetic],
  ['Exp', floatToFloat],
  ['Expand', { inputs: ['T', 'int64'], outputs: ['T'] }],
  ['Gather', { inputs: ['T', 'I'], outputs: ['T'], attributes: { axis: 'i' } }],
  ['GatherElements', { inputs: ['T', 'I'], outputs: ['T'], attributes: { axis: 'i' } }],
  [
    'Gemm',
    {
      inputs: ['float', 'float', 'float'],
      required: 2,
      outputs: ['float'],
      attributes: { alpha: 'f', beta: 'f', transA: 'i', transB: 'i' },
    },
  ],
  ['GreaterOrEqual', { inputs: ['N', 'N'], outputs: ['bool'] }],
  ['Identity', { inputs: ['T'], outputs: ['T'] }],
  [
    'If',
    {
      inputs: ['bool'],
      outputs: 'branches',
      attributes: { else_branch: 'g', then_branch: 'g' },
      needs: ['else_branch', 'then_branch'],
    },
  ],
  ['Log', floatToFloat],
  ['MatMul', { inputs: ['float', 'float'], outputs: ['float'] }],
  ['MatMulInteger', { inputs: ['uint8', 'int8'], outputs: ['int32'] }],
  ['Max', { inputs: ['N'], repeats: true, outputs: ['N'] }],
  ['Min', { inputs: ['N'], repeats: true, outputs: ['N'] }],
  ['Mul', arithmetic],
  ['Neg', { inputs: ['N'], outputs: ['N'] }],
  ['ReduceMax', reduction],
  ['ReduceSum', reduction],
  ['Reshape', { inputs: ['T', 'int64'], outputs: ['T'], attributes: { allowzero: 'i' } }],
  ['Round', floatToFloat],
  ['ScatterND', { inputs: ['T', 'int64', 'T'], outputs: ['T'], attributes: { reduction: 's' } }],
  ['Shape', { inputs: ['T'], outputs: ['int64'], attributes: { start: 'i', end: 'i' } }],
  ['Sigmoid', floatToFloat],
  ['Slice', { inputs: ['T', 'I', 'I', 'I', 'I'], required: 3, outputs: ['T'] }],
  ['Softplus', floatToFloat],
  ['Sqrt', floatToFloat],
  ['Sub', arithmetic],
  [
    'TopK',
    {
      inputs: ['N', 'int64'],
      outputs: ['N', 'int64'],
      attributes: { axis: 'i', largest: 'i', sorted: 'i' },
    },
  ],
  ['Transpose', { inputs: ['T'], outputs: ['T'], attributes: { perm: 'ints' } }],
  ['Unsqueeze', { inputs: ['T', 'int64'], outputs: ['T'] }],
  ['Where', { inputs: ['bool', 'T', 'T'], outputs: ['T'] }],
]);
