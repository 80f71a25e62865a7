/**
 * The script of a Worker that answers with the bundle behind its binding BUNDLE, and at `/heap` how many bytes each memory of
 * WebAssembly has.
 */
export const workerWithHeap = `
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
  source: ({ BUNDLE }) =>
    fetchSource('http://bundle', { fetch: (url, init) => BUNDLE.fetch(url, init), retries: 0 }),
});
export default {
  fetch: (request, env, context) =>
    request.url.endsWith('/heap')
      ? Response.json(memories.map(({ buffer }) => buffer.byteLength))
      : worker.fetch(request, env, context),
};`;
