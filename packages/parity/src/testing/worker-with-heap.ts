/**
 * The script of a Worker that answers with the bundle behind its binding BUNDLE, at `/heap` how many bytes each memory of
 * WebAssembly has, and after `/again` opens the bundle once more.
 */
export const workerWithHeap: string = scriptWith({});

/** The same, which begins the runtime from what is behind its binding IMAGE. */
export const workerFromImage: string = scriptWith({
  worker: `image: ({ IMAGE }) => IMAGE.fetch('http://image/runtime.image'),`,
});

/** The first, which keeps copies in its Cache Storage, and says on the console where it cannot. */
export const workerWithCopies: string = scriptWith({
  source: 'caches, onWarning: ({ message }) => console.log(message),',
});

/** The first, which follows the changes of facts behind its binding KV or R2, and looks at each request. */
export const workerWithFacts = (binding: 'KV' | 'R2'): string =>
  scriptWith({
    imports: "import { deltaFacts, kvDelta, r2Delta } from '@fuzzqe/edge/facts';",
    worker: `facts: ({ ${binding} }) => deltaFacts(${binding.toLowerCase()}Delta(${binding}, 'facts'), { every: 0 }),`,
  });

function scriptWith({ worker = '', source = '', imports = '' }): string {
  return `
import wasm from './ort.wasm';
${imports}
import { fetchSource } from '@fuzzqe/edge';
import { createWorker } from '@fuzzqe/edge/worker';
const memories = [];
const { Memory } = WebAssembly;
WebAssembly.Memory = function (size) {
  const memory = new Memory(size);
  memories.push(memory);
  return memory;
};
const create = () =>
  createWorker({
    wasm,
    ${worker}
    source: ({ BUNDLE }) =>
      fetchSource('http://bundle', { fetch: (url, init) => BUNDLE.fetch(url, init), retries: 0, ${source} }),
  });
let worker = create();
export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (pathname === '/heap') return Response.json(memories.map(({ buffer }) => buffer.byteLength));
    if (pathname !== '/again') return worker.fetch(request, env, context);
    worker = create();
    return new Response();
  },
};`;
}
