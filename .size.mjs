import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
for (const more of ['', "export * from './facts/index.ts';"]) {
const { outputFiles } = await build({ stdin: { contents: `export * from './worker.ts'; ${more}`, resolveDir: '/work/h/deploy/packages/edge/src' }, conditions: ['@fuzzqe/source'], external: ['onnxruntime-web', 'onnxruntime-web/*'], bundle: true, minify: true, format: 'esm', platform: 'browser', write: false, logLevel: 'silent' });
const { gzipSync } = await import('node:zlib');
console.log(outputFiles[0].contents.length, gzipSync(outputFiles[0].contents).length);
}
