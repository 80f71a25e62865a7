// What reads, checks and computes graphs without protobufjs, which is CommonJS: development servers send workers no such module.
export { type CheckOptions, checkOnnx, type GraphForm, type ValueForm } from '../check/check-onnx.ts';
export type { OnnxModel } from '../proto/model.ts';
export { readStrictly } from '../proto/read-strictly.ts';
export { type OnnxRun, openOnnx, type Values } from '../run/open-onnx.ts';
export type { Numbers, Value } from '../run/value.ts';
