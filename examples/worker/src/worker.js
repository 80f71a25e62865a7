import { fetchSource } from '@fuzzqe/edge';
import { createWorker } from '@fuzzqe/edge/worker';
import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm';

// biome-ignore lint/style/noDefaultExport: a Worker is its default export
export default createWorker({
  wasm,
  source: ({ ASSETS }) =>
    fetchSource('https://assets/bundle', { fetch: (url, init) => ASSETS.fetch(url, init) }),
  image: ({ ASSETS }) => ASSETS.fetch('https://assets/runtime.image'),
});
