import { chromiumRuntime } from './chromium.ts';
import { javascriptRuntime, nodeRuntime, webRuntime } from './in-process.ts';
import type { ParityRuntime } from './runtime.ts';
import { tfjsRuntime } from './tfjs.ts';
import { workerdRuntime } from './workerd.ts';

/** The runtimes that answers can be compared on, in the order of the matrix. */
export const parityRuntimeNames = [
  'node',
  'node-webgpu',
  'node-cuda',
  'web',
  'javascript',
  'workerd',
  'chromium',
  'chromium-webgpu',
  'tfjs-cpu',
  'tfjs-wasm',
  'tfjs-webgpu',
  'tfjs-tensorflow',
] as const;
export type ParityRuntimeName = (typeof parityRuntimeNames)[number];

export const parityRuntimes: Readonly<Record<ParityRuntimeName, ParityRuntime>> = {
  node: nodeRuntime('cpu', 'onnxruntime-node on the CPU'),
  'node-webgpu': nodeRuntime('webgpu', 'onnxruntime-node, WebGPU'),
  'node-cuda': nodeRuntime('cuda', 'onnxruntime-node, CUDA'),
  web: webRuntime,
  javascript: javascriptRuntime,
  workerd: workerdRuntime,
  chromium: chromiumRuntime('wasm', 'onnxruntime-web in Chromium, WebAssembly'),
  'chromium-webgpu': chromiumRuntime('webgpu', 'onnxruntime-web in Chromium, WebGPU'),
  'tfjs-cpu': tfjsRuntime('cpu', 'TensorFlow.js in plain JavaScript'),
  'tfjs-wasm': tfjsRuntime('wasm', 'TensorFlow.js, WebAssembly'),
  'tfjs-webgpu': tfjsRuntime('webgpu', 'TensorFlow.js, WebGPU'),
  'tfjs-tensorflow': tfjsRuntime('tensorflow', "TensorFlow.js on TensorFlow's C library"),
};
