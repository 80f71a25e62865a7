/**
 * The script of a Worker that answers with the bundle behind its binding BUNDLE, and at `/heap` how many bytes each memory of
 * WebAssembly has.
 */
export const workerWithHeap: string = scriptWith('');

/** The same, which begins the runtime from what is behind its binding IMAGE. */
export const workerFromImage: string = scriptWith(
  `image: ({ IMAGE }) => IMAGE.fetch('http://image/runtime.image'),`,
);

function scriptWith(option: string): string {
  return `
import wasm from './ort.wasm';
import { fetchSource } from '@fuzzqe/edge';
import { createWorker } from '@fuzzqe/edge/worker';
const memories = [];
const { Memory } = WebAssembly;
WebAssembly.Memory = function (size) {
  const memory = new Memory(size);
  memories.push(memory);
  return memory;
};
const worker = createWorker({
  wasm,
  ${option}
  source: ({ BUNDLE }) =>
    fetchSource('http://bundle', { fetch: (url, init) => BUNDLE.fetch(url, init), retries: 0 }),
});
export default {
  fetch: (request, env, context) =>
    request.url.endsWith('/heap')
      ? Response.json(memories.map(({ buffer }) => buffer.byteLength))
      : worker.fetch(request, env, context),
};`;
}
