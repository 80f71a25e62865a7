export { type EmitOptions, emitModel, emitOnnx } from './emit/emit-onnx.ts';
export type { ParameterPlacement } from './emit/placement.ts';
export { decodeOnnx, encodeOnnx } from './proto/codec.ts';
export * from './proto/model.ts';
