import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { FuzzError, importOptional } from '@fuzzqe/core';
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { initialiseBackend, type Registration } from './backend.ts';

type Device = ConstructorParameters<typeof WebGPUBackend>[0];
type AdapterInfo = ConstructorParameters<typeof WebGPUBackend>[1];

/** What is used of the package `webgpu`, which is Dawn. */
interface Dawn {
  create(options: readonly string[]): Gpu;
  readonly globals: Readonly<Record<string, unknown>>;
}

interface Gpu {
  requestAdapter(options: { readonly powerPreference: 'high-performance' }): Promise<Adapter | null>;
}

interface Adapter {
  readonly info: AdapterInfo & { readonly device: string; readonly description: string };
  readonly limits: Readonly<Record<string, number>>;
  requestDevice(descriptor: object): Promise<Device>;
}

/** The limits that are raised to what the adapter has; Dawn otherwise gives the least that the standard promises. */
const limits = [
  'maxBufferSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupStorageSize',
  'maxComputeWorkgroupsPerDimension',
  'maxStorageBufferBindingSize',
] as const;

/**
 * Dawn: any graphics processor with a driver, and software renderers.
 *
 * @throws FuzzError `runtime`: there is none.
 */
export async function registerWebgpu(): Promise<Registration> {
  const { create, globals } = await importOptional<Dawn>(
    'webgpu',
    'npm install webgpu@0.6.2',
    () => import('webgpu' as string), // optional, so its types may be absent
  );
  await expectAdapter();
  const gpu = create([]);
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null);
  if (adapter === null) throw noAdapter();
  const device = await adapter.requestDevice({
    requiredLimits: Object.fromEntries(limits.map((limit) => [limit, adapter.limits[limit]])),
  });
  Object.assign(globalThis, globals);
  const backend = await import('@tensorflow/tfjs-backend-webgpu');
  tf.registerBackend('webgpu', () =>
    withNavigator(gpu, () => new backend.WebGPUBackend(device, adapter.info)),
  );
  await initialiseBackend('webgpu');
  const { description, device: model, vendor, architecture } = adapter.info;
  const name = description || model || `${vendor} ${architecture}`;
  return {
    description: `tfjs webgpu, ${name}`,
    adapter: name,
    close() {
      // As long as the device lives, so does the process.
      tf.removeBackend('webgpu');
      device.destroy();
    },
  };
}

function noAdapter(): FuzzError {
  return new FuzzError('runtime', 'tfjs webgpu: there is no WebGPU adapter here', {
    hint: 'Install the driver of the graphics processor; on Linux also libvulkan1, and for NVIDIA libegl1, libgl1 and libxext6.',
  });
}

const probe = `import(process.argv[1]).then(({ create }) => create([]).requestAdapter()).then(
  (adapter) => process.exit(adapter === null ? 1 : 0),
  () => process.exit(1),
)`;

/**
 * Dawn prints what it lacks to the process that asks, so another one asks first.
 *
 * @throws FuzzError `runtime`: there is no adapter.
 */
async function expectAdapter(): Promise<void> {
  const dawn = pathToFileURL(createRequire(import.meta.url).resolve('webgpu')).href;
  const present = await new Promise<boolean>((settle) => {
    execFile(process.execPath, ['-e', probe, dawn], { timeout: 60_000 }, (error) => settle(error === null));
  });
  if (!present) throw noAdapter();
}

/** tfjs believes in WebGPU only where `navigator.gpu` is; here it is for as long as tfjs looks. */
function withNavigator<T>(gpu: Gpu, work: () => T): T {
  const scope = globalThis as { navigator?: object };
  const had = Object.getOwnPropertyDescriptor(scope, 'navigator');
  Object.defineProperty(scope, 'navigator', { value: { gpu }, configurable: true });
  try {
    return work();
  } finally {
    if (had === undefined) delete scope.navigator;
    else Object.defineProperty(scope, 'navigator', had);
  }
}
