import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

const runtime = dirname(createRequire(import.meta.url).resolve('onnxruntime-web'));
const { version } = JSON.parse(readFileSync(join(runtime, '../package.json'), 'utf8')) as {
  readonly version: string;
};
const wasmFile = 'ort-wasm-simd-threaded.wasm';

/** The runtime of this browser in a folder of its own, once: under the name that it has for itself. */
const runtimeFile: Plugin = {
  name: 'runtime-file',
  generateBundle(_, bundle) {
    for (const [name] of Object.entries(bundle)) if (name.endsWith('.wasm')) delete bundle[name];
    this.emitFile({
      type: 'asset',
      fileName: `runtime-${version}/${wasmFile}`,
      source: readFileSync(join(runtime, wasmFile)),
    });
  },
};

/** The page as files: relative addresses, so that it may lie below any path, and nothing inline, as its policy asks. */
const config: UserConfig = defineConfig({
  base: './',
  define: { runtimeVersion: JSON.stringify(version) },
  plugins: [runtimeFile],
  worker: { format: 'es' },
  build: {
    outDir: 'dist/app',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licences.md' },
    reportCompressedSize: false,
  },
});

export default config;
