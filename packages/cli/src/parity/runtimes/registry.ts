import { chromiumRuntime } from './chromium.ts';
import { nodeRuntime, webRuntime } from './in-process.ts';
import { referenceRuntime } from './reference.ts';
import type { ParityRuntime } from './runtime.ts';
import { workerdRuntime } from './workerd.ts';

/** The runtimes that answers can be compared on, in the order of the matrix. */
export const parityRuntimeNames = [
  'reference',
  'node',
  'node-webgpu',
  'node-cuda',
  'web',
  'workerd',
  'chromium',
  'chromium-webgpu',
] as const;
export type ParityRuntimeName = (typeof parityRuntimeNames)[number];

export const parityRuntimes: Readonly<Record<ParityRuntimeName, ParityRuntime>> = {
  reference: referenceRuntime,
  node: nodeRuntime('cpu', 'onnxruntime-node on the CPU'),
  'node-webgpu': nodeRuntime('webgpu', 'onnxruntime-node, WebGPU'),
  'node-cuda': nodeRuntime('cuda', 'onnxruntime-node, CUDA'),
  web: webRuntime,
  workerd: workerdRuntime,
  chromium: chromiumRuntime('wasm', 'onnxruntime-web in Chromium, WebAssembly'),
  'chromium-webgpu': chromiumRuntime('webgpu', 'onnxruntime-web in Chromium, WebGPU'),
};
