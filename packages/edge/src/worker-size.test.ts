import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { readManifest } from '@fuzzqe/bundle';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { type WorkerLimit, workerLimits } from '@fuzzqe/export';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const require = createRequire(import.meta.url);
const manifest = await readManifest((await memoryBundle()).source);

const limitOf = (name: string): WorkerLimit =>
  workerLimits(manifest).find(({ what }) => what.startsWith(name))!;

/**
 * Workers of the free plan may have 3 MB gzipped, of which onnxruntime-web takes most: so much of it may be this project's. Two kilobytes
 * refuse wrong options, queries and limits. Nineteen read, search and explain patterns. Seven answer at a date. Half a kilobyte compares
 * entities by the model, and a quarter tells families of models and reads the rest of refused bodies.
 */
const mostBytes = 120_250;
/** With changes of facts: what makes graphs, names and vectors grow is in no other Worker. */
const mostWithFacts = 137_000;

describe('the script of a Worker', () => {
  it.each([
    ['the facts of its bundle', '', mostBytes, 0],
    ['changes of facts', "export * from './facts/index.ts';", mostWithFacts, 1],
  ])(
    'with %s is small without the runtime, and has nothing in it that only servers mount',
    async (_, more, most, growth) => {
      const { outputFiles, metafile } = await build({
        stdin: {
          contents: `export * from './worker.ts'; ${more}`,
          resolveDir: fileURLToPath(new URL('.', import.meta.url)),
        },
        conditions: ['@fuzzqe/source'],
        external: ['onnxruntime-web', 'onnxruntime-web/*'],
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'browser',
        write: false,
        metafile: true,
        logLevel: 'silent',
      });
      const [output] = Object.values(metafile.outputs);
      const parts = Object.entries(output!.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
      const names = parts.map(([path]) => path);
      // What stands for a part that is there: a path that would be renamed would make the other checks say nothing.
      expect(names.filter((path) => path.endsWith('packages/api/src/v1/v1-routes.ts'))).toHaveLength(1);
      expect(names.filter((path) => path.endsWith('folding/fold-in.ts'))).toHaveLength(growth);
      expect(
        names.filter((path) =>
          /to-json-schema|api\/src\/documentation|protobufjs|\/serve\/|\/sparql\//.test(path),
        ),
      ).toEqual([]);
      const size = gzipSync(outputFiles![0]!.contents).length;
      const largest = parts
        .sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput)
        .slice(0, 12)
        .map(([path, { bytesInOutput }]) => `${bytesInOutput} ${path}`);
      expect(size, largest.join('\n')).toBeLessThan(most);
    },
  );

  it('is within what a Worker may have together with the runtime', async () => {
    const { outputFiles } = await build({
      entryPoints: [new URL('worker.ts', import.meta.url).pathname],
      conditions: ['@fuzzqe/source', 'workerd', 'worker', 'browser'],
      external: ['*.wasm', 'node:*'],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      logLevel: 'silent',
    });
    const script = outputFiles![0]!.contents;
    const wasm = await readFile(require.resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'));
    expect(gzipSync(script).length + gzipSync(wasm).length).toBeLessThan(4e6);
    // What the exporter says of it.
    const { amount } = limitOf('script');
    expect(script.length + wasm.length).toBeLessThan(amount);
    expect(await startUpTime(script)).toBeLessThan(limitOf('start-up').limit / 2);
  });
});

/** What a script and the compiling of the runtime take of a processor, in milliseconds, in a process of its own. */
async function startUpTime(script: Uint8Array): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-start-up-'));
  try {
    await writeFile(join(folder, 'worker.mjs'), script);
    const wasm = require.resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm');
    await writeFile(
      join(folder, 'start.mjs'),
      `import { readFileSync } from 'node:fs';
const bytes = readFileSync(${JSON.stringify(wasm)});
const before = process.cpuUsage();
const wasm = new WebAssembly.Module(bytes);
const { createWorker } = await import('./worker.mjs');
createWorker({ wasm, source: () => undefined });
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1e3);`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'start.mjs')]);
    return Number(stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}
