import { constants } from 'node:buffer';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FuzzError } from '@fuzzqe/core';
import type { DeviceName } from '../runtimes/device-name.ts';
import type { DeviceLimits } from '../runtimes/expect-fit.ts';
import { webgpuHint } from '../runtimes/webgpu-problem.ts';

/** What a device computes on, as far as it can be found out. */
export interface Adapter {
  readonly name?: string;
  /** A graphics processor that is imitated on the CPU. */
  readonly software: boolean;
  readonly limits: DeviceLimits;
}

/** Looks up what a device computes on, without computing. */
export async function findAdapter(device: DeviceName): Promise<Adapter> {
  switch (device) {
    case 'webgpu':
    case 'tfjs:webgpu':
      return webgpuAdapter();
    case 'cuda': {
      const gpu = await nvidiaGpu();
      return { ...named(gpu?.name), software: false, limits: memory(gpu?.memoryBytes) };
    }
    case 'tfjs:wasm':
      // Addresses of WebAssembly have 32 bits, and tfjs has everything in one memory.
      return { ...processor(), limits: { memoryBytes: Math.min(machineMemory(), 2 ** 32) } };
    default: {
      const memoryBytes = machineMemory();
      // From Node 22 on a buffer may be larger than any memory.
      const bufferBytes = Math.min(constants.MAX_LENGTH, memoryBytes);
      return { ...processor(), limits: { memoryBytes, bufferBytes } };
    }
  }
}

/** The memory that this process may use: the machine's, or less where a container says so. */
function machineMemory(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

function processor(): Pick<Adapter, 'name' | 'software'> {
  return { ...named(cpus()[0]?.model.trim()), software: false };
}

const named = (name: string | undefined): { readonly name?: string } => (name === undefined ? {} : { name });
const memory = (memoryBytes: number | undefined): DeviceLimits =>
  memoryBytes === undefined ? {} : { memoryBytes };

/** What is used of the package `webgpu`, which is Dawn, the same implementation as ONNX Runtime's. */
interface Dawn {
  create(options: readonly string[]): {
    requestAdapter(options: { readonly powerPreference: 'high-performance' }): Promise<{
      readonly info: Readonly<Record<'vendor' | 'architecture' | 'device' | 'description', string>>;
      readonly limits: Readonly<Record<'maxBufferSize' | 'maxStorageBufferBindingSize', number>>;
    } | null>;
  };
}

/** Throws where there is no adapter. Without the package, nothing is known of it. */
async function webgpuAdapter(): Promise<Adapter> {
  let dawn: Dawn;
  try {
    // Optional, so its types may be absent, too.
    dawn = (await import('webgpu' as string)) as Dawn;
  } catch {
    return { software: false, limits: {} };
  }
  const adapter = await dawn.create([]).requestAdapter({ powerPreference: 'high-performance' });
  if (adapter === null)
    throw new FuzzError('runtime', 'there is no WebGPU adapter here', {
      hint: webgpuHint,
    });
  const { vendor, architecture, device, description } = adapter.info;
  const name = description || device || `${vendor} ${architecture}`;
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const bufferBytes = Math.min(maxBufferSize, maxStorageBufferBindingSize);
  const software = isSoftware([vendor, architecture, device, description].join(' '));
  const memoryBytes = software ? machineMemory() : await graphicsMemory(`${vendor} ${name}`);
  return { name, software, limits: { ...memory(memoryBytes), bufferBytes } };
}

/** Whether an adapter's name is that of a renderer on the CPU. */
export function isSoftware(name: string): boolean {
  return /swiftshader|llvmpipe|lavapipe|softpipe|microsoft basic render|\bwarp\b/i.test(name);
}

async function graphicsMemory(name: string): Promise<number | undefined> {
  return /nvidia/i.test(name) ? (await nvidiaGpu())?.memoryBytes : amdMemory();
}

/** The first NVIDIA GPU, by its driver's own tool. */
async function nvidiaGpu(): Promise<{ readonly name: string; readonly memoryBytes: number } | undefined> {
  try {
    const query = ['--query-gpu=name,memory.total', '--format=csv,noheader,nounits'];
    const { stdout } = await promisify(execFile)('nvidia-smi', query, { timeout: 10_000 });
    const [name, mebibytes] = stdout.split('\n', 1)[0]!.split(',');
    return { name: name!.trim(), memoryBytes: Number(mebibytes) * 2 ** 20 };
  } catch {
    return undefined;
  }
}

/** What Linux's amdgpu driver says of the first card that has memory of its own. */
async function amdMemory(): Promise<number | undefined> {
  const folder = '/sys/class/drm';
  for (const card of await readdir(folder).catch(() => []))
    try {
      return Number(await readFile(join(folder, card, 'device/mem_info_vram_total'), 'utf8'));
    } catch {
      // Another kind of card, or a connector of one.
    }
  return undefined;
}
