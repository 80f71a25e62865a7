import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { unpackPackages } from './unpack-packages.ts';
import { root } from './workspace.ts';

const runtime = join(root, 'node_modules/onnxruntime-web/dist');
const [wasm, webgpu] = ['ort-wasm-simd-threaded.wasm', 'ort-wasm-simd-threaded.asyncify.wasm'] as const;

/** The sizes of the files of a folder, by their paths, in bytes. */
function sizesOf(folder: string): ReadonlyMap<string, number> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    paths
      .map((path) => [path, statSync(join(folder, path))] as const)
      .filter(([, stat]) => stat.isFile())
      .map(([path, { size }]) => [path, size]),
  );
}

const sum = (sizes: ReadonlyMap<string, number>): number => [...sizes.values()].reduce((a, b) => a + b, 0);

describe('a page that Vite builds from the packages as npm has them', () => {
  const project = mkdtempSync(join(tmpdir(), 'fuzzqe-light-'));
  beforeAll(() => {
    unpackPackages(project, inject('tarballs'));
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
    writeFileSync(
      join(project, 'index.html'),
      '<!doctype html><script type="module" src="/main.js"></script>\n',
    );
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  /** Builds the page with an import of `openBundle`; gives the files that it deploys. */
  async function deployed(module: string): Promise<ReadonlyMap<string, number>> {
    writeFileSync(
      join(project, 'main.js'),
      `import { openBundle } from '${module}';\nopenBundle('/bundle', { wasm: '/runtime/' });\n`,
    );
    await build({ root: project, configFile: false, logLevel: 'silent', worker: { format: 'es' } });
    return sizesOf(join(project, 'dist'));
  }

  it('carries no runtime with the file of the page, and two with the modules, one of them for WebGPU', async () => {
    const light = await deployed('@fuzzqe/edge/fuzzqe-browser.js');
    expect([...light.keys()].filter((path) => path.endsWith('.wasm'))).toEqual([]);
    const heavy = await deployed('@fuzzqe/edge/browser');
    const carried = [...heavy.keys()].filter((path) => path.endsWith('.wasm'));
    expect(carried.map((path) => path.includes('asyncify')).toSorted()).toEqual([false, true]);
    // With the file of WebAssembly next to it, the page is less than half of what the modules deploy.
    const sizes = sizesOf(runtime);
    expect(sum(light) + sizes.get(wasm)!).toBeLessThan(sum(heavy) / 2);
    expect(sum(heavy)).toBeGreaterThan(sizes.get(wasm)! + sizes.get(webgpu)!);
  });
});

it('onnxruntime-web has more WebAssembly for WebGPU than without, as the documents say', () => {
  const sizes = sizesOf(runtime);
  const text = readFileSync(join(root, 'docs/browser.md'), 'utf8');
  for (const file of [wasm, webgpu])
    expect(text).toContain(`| \`${file}\` | ${(sizes.get(file)! / 1e6).toFixed(1)} MB |`);
  const others = [...sizes].filter(([path]) => path.endsWith('.wasm') && path !== wasm);
  expect(sum(new Map(others))).toBeGreaterThan(4 * sizes.get(wasm)!);
  expect(text).toContain(
    `\`onnxruntime-web\` is ${Math.round(sum(sizesOf(join(runtime, '..'))) / 1e6)} MB of that`,
  );
});
