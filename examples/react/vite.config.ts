import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [
    react(),
    {
      // Two runtimes of onnxruntime-web, 41 MB, that no page fetches from where Vite writes them.
      name: 'without-runtimes',
      generateBundle(_, bundle) {
        for (const name of Object.keys(bundle)) if (name.endsWith('.wasm')) delete bundle[name];
      },
    },
  ],
  // The web worker loads a part of its code on demand.
  worker: { format: 'es' },
});
