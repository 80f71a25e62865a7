import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { FuzzError } from '@fuzzqe/core';
import { type Availability, absent } from './runtime.ts';

const require = createRequire(import.meta.url);
/** Whether this is the source or the build of the package: what is bundled is of the same kind. */
const isSource = import.meta.url.endsWith('.ts');

/** Whether scripts can be bundled here. */
export async function canBundle(): Promise<Availability> {
  try {
    await import('esbuild');
    return { present: true };
  } catch {
    return absent('esbuild, which bundles the script, is not installed: npm install --save-dev esbuild');
  }
}

/**
 * Bundles a script of `hosts/` with all that it imports, as one ES module; .wasm files stay imports.
 *
 * @throws FuzzError `runtime`: something that it imports is not installed.
 */
export async function bundleHost(script: string): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: fileURLToPath(new URL('../hosts', import.meta.url)) },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    external: ['*.wasm', 'node:*'],
    conditions: [...(isSource ? ['@fuzzqe/source'] : []), 'workerd', 'worker', 'browser'],
    logLevel: 'silent',
  }).catch((cause: unknown) => {
    throw new FuzzError('runtime', `the script could not be bundled: ${cause}`, { cause });
  });
  return outputFiles[0]!.text;
}

/** The WebAssembly file of a build of onnxruntime-web. */
export function wasmFile(build: 'wasm' | 'webgpu'): string {
  const name = build === 'wasm' ? 'ort-wasm-simd-threaded.wasm' : 'ort-wasm-simd-threaded.asyncify.wasm';
  return require.resolve(`onnxruntime-web/${name}`);
}
