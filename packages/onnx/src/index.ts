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
  OnnxNode,
  OnnxOperatorSet,
  OnnxShape,
  OnnxTensor,
  OnnxTensorType,
  OnnxType,
  OnnxValueInfo,
} from './proto/model.ts';
export { irVersion, opsetVersion } from './proto/model.ts';
export {
  type CheckOptions,
  checkOnnx,
  type GraphForm,
  type Numbers,
  type OnnxModel,
  type OnnxRun,
  openOnnx,
  readStrictly,
  type Value,
  type ValueForm,
  type Values,
} from './read/index.ts';
export {
  layoutWeights,
  type WeightAlignment,
  type WeightLayout,
  type WeightPlace,
  type WeightTensor,
  weightAlignment,
} from './weights/layout-weights.ts';
