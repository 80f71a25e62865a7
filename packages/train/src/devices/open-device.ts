import type { DeviceName } from '../runtimes/device-name.ts';
import { ortCudaRuntime } from '../runtimes/ort-cuda-runtime.ts';
import { ortCpuRuntime } from '../runtimes/ort-runtime.ts';
import { ortWebgpuRuntime } from '../runtimes/ort-webgpu-runtime.ts';
import { tfjsRuntime } from '../runtimes/tfjs-runtime.ts';
import type { TrainingRuntime } from '../runtimes/training-runtime.ts';

/** How a device is to compute. */
export interface DeviceOptions {
  /** Threads of `cpu`; the others decide themselves. */
  readonly threads: number;
  /** Products of matrices in TF32 on `cuda`. Default false. */
  readonly tf32?: boolean;
}

/**
 * The runtime of a device; whether the device is there shows when it opens a step.
 *
 * @example
 * const runtime = openDevice('cpu', { threads: 2 });
 */
export function openDevice(device: DeviceName, { threads, tf32 = false }: DeviceOptions): TrainingRuntime {
  switch (device) {
    case 'cpu':
      return ortCpuRuntime({ threads });
    case 'webgpu':
      return ortWebgpuRuntime();
    case 'cuda':
      return ortCudaRuntime({ tf32 });
    case 'tfjs:wasm':
      return tfjsRuntime('wasm');
    case 'tfjs:tensorflow':
      return tfjsRuntime('tensorflow');
    case 'tfjs:webgpu':
      return tfjsRuntime('webgpu');
    case 'tfjs:cpu':
      return tfjsRuntime('cpu');
  }
}
