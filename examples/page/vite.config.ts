import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { defineConfig } from 'vite';

// The runtime of WebAssembly, which the page fetches when it opens the bundle.
const wasm = 'ort-wasm-simd-threaded.wasm';
const { resolve } = createRequire(import.meta.url);
cpSync(resolve(`onnxruntime-web/${wasm}`), `public/runtime/${wasm}`);

export default defineConfig({
  base: './',
  worker: { format: 'es' },
  plugins: [
    {
      name: 'runtime-once',
      generateBundle(_, bundle) {
        for (const name of Object.keys(bundle)) if (name.endsWith('.wasm')) delete bundle[name];
      },
    },
  ],
});
