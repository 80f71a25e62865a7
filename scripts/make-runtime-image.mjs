// What Workers begin onnxruntime-web from: packages/edge/dist/runtime.image, after the package is compiled.
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { makeRuntimeImage } from '@fuzzqe/edge/worker';

const folder = new URL('../packages/edge/', import.meta.url);
const wasm = createRequire(new URL('package.json', folder)).resolve(
  'onnxruntime-web/ort-wasm-simd-threaded.wasm',
);
const image = await makeRuntimeImage(new WebAssembly.Module(await readFile(wasm)));
await writeFile(new URL('dist/runtime.image', folder), image);
