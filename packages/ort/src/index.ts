export type { InferenceSession } from 'onnxruntime-node';
export { env, Tensor } from 'onnxruntime-node';
export { openInferenceSession } from './open-inference-session.ts';
export { type RuntimePackage, runtimePackage } from './runtime-package.ts';
export { withoutTelemetry } from './telemetry.ts';
