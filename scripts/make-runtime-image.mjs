// What Workers begin onnxruntime-web from: packages/edge/dist/runtime.image, after the package is compiled.
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const folder = new URL('../packages/edge/', import.meta.url);
// A step of the build of the package: nobody else makes images, and it is none of its exports.
const { makeRuntimeImage } = await import(new URL('dist/make-runtime-image.js', folder).href);
const wasm = createRequire(new URL('package.json', folder)).resolve(
  'onnxruntime-web/ort-wasm-simd-threaded.wasm',
);
const image = await makeRuntimeImage(new WebAssembly.Module(await readFile(wasm)));
await writeFile(new URL('dist/runtime.image', folder), image);
