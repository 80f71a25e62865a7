import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { root } from './workspace.ts';

const folder = join(root, 'packages/playground/dist/app');
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
/** The runtime of models, which is loaded where a question is answered in the browser. */
const isRuntime = (path: string): boolean => /ort[-.\w]*\.(?:wasm|m?js)$/.test(path);
const sizeOf = (path: string): number => gzipSync(readFileSync(path), { level: 9 }).length;

it('the page takes at most 150 kB compressed, without the runtime', () => {
  const page = files.filter((path) => /\.(?:html|js|mjs|css|svg)$/.test(path) && !isRuntime(path));
  const sizes = Object.fromEntries(page.map((path) => [path.slice(folder.length + 1), sizeOf(path)]));
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  expect(total, JSON.stringify(sizes)).toBeGreaterThan(5_000);
  expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(150_000);
});

it('the page has no script or style within it, and loads nothing from elsewhere', () => {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  expect(html).toMatch(/<script type="module"[^>]* src="\.\//);
  expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?:/);
});
