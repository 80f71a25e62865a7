import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { FuzzError } from '@fuzzqe/core';

/** The runtime's file for WebGPU. */
export interface GpuRuntime {
  readonly file: string;
  /** Where the page looks for it: next to that of WebAssembly. */
  readonly path: string;
}

/**
 * Finds the runtime's file for WebGPU, for the page that was built into a folder.
 *
 * @throws FuzzError `config`: the page was built with another version of onnxruntime-web, or not at all.
 */
export async function gpuRuntimeOf(page: string): Promise<GpuRuntime> {
  const { wasmFile } = await import('@fuzzqe/parity');
  const file = wasmFile('webgpu');
  // Of a package that is installed.
  const { version } = createRequire(file)('../package.json') as { readonly version: string };
  const folder = `runtime-${version}`;
  const present: readonly string[] = await readdir(page).catch(() => []);
  if (!present.includes(folder))
    throw new FuzzError('config', `expected the page with onnxruntime-web ${version}, got another`, {
      path: page,
      hint: 'Build it: npm run build.',
    });
  return { file, path: `${folder}/${basename(file)}` };
}
