export { type CheckOptions, checkOnnx, type GraphForm, type ValueForm } from './check/check-onnx.ts';
export type { ExternalSize } from './check/check-tensor.ts';
export { describeOnnx } from './describe-onnx.ts';
export { type EmitOptions, emitModel, emitOnnx } from './emit/emit-onnx.ts';
export { emitSwitch, emitSwitchModel, type Switch, type SwitchForm } from './emit/emit-switch.ts';
export type { ParameterPlacement } from './emit/placement.ts';
export { decodeOnnx, encodeOnnx } from './proto/codec.ts';
export { elementSize } from './proto/element-type.ts';
export type {
  OnnxAttribute,
  OnnxDimension,
  OnnxEntry,
  OnnxGraph,
  OnnxMessages,
  OnnxModel,
  OnnxNode,
  OnnxOperatorSet,
  OnnxShape,
  OnnxTensor,
  OnnxTensorType,
  OnnxType,
  OnnxValueInfo,
} from './proto/model.ts';
export { irVersion, opsetVersion } from './proto/model.ts';
export { readStrictly } from './proto/read-strictly.ts';
export { type OnnxRun, openOnnx, type Values } from './run/open-onnx.ts';
export type { Numbers, Value } from './run/value.ts';
export {
  layoutWeights,
  type WeightAlignment,
  type WeightLayout,
  type WeightPlace,
  type WeightTensor,
  weightAlignment,
} from './weights/layout-weights.ts';
