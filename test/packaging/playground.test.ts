import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { root } from './workspace.ts';

const folder = join(root, 'packages/playground/dist/app');
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const sizeOf = (path: string): number => gzipSync(readFileSync(path), { level: 9 }).length;
const sizesOf = (paths: Iterable<string>): Record<string, number> =>
  Object.fromEntries([...paths].map((path) => [relative(folder, path), sizeOf(path)]));
const sumOf = (sizes: Record<string, number>): number =>
  Object.values(sizes).reduce((sum, size) => sum + size, 0);

/** What a browser loads with the page: what its HTML names, and what that imports, but for what is imported when it is needed. */
function loadedAtOnce(path: string, loaded: Set<string> = new Set()): Set<string> {
  loaded.add(path);
  const text = readFileSync(path, 'utf8');
  const named = path.endsWith('.html')
    ? text.matchAll(/(?:src|href)="(\.\/[^"]+)"/g)
    : path.endsWith('.js')
      ? text.matchAll(/(?:\bfrom|\bimport)\s*["'](\.[^"']+)["']/g)
      : [];
  for (const [, name] of named) {
    const next = join(dirname(path), name!);
    if (!loaded.has(next)) loadedAtOnce(next, loaded);
  }
  return loaded;
}

it('the page takes at most 150 kB compressed, without the runtime and what is loaded on request', () => {
  const sizes = sizesOf(loadedAtOnce(join(folder, 'index.html')));
  expect(Object.keys(sizes).filter((name) => /worker|\.wasm$|^runtime|ort[.-]/.test(name))).toEqual([]);
  expect(Object.keys(sizes).some((name) => name.endsWith('.js'))).toBe(true);
  expect(sumOf(sizes), JSON.stringify(sizes)).toBeGreaterThan(20_000);
  expect(sumOf(sizes), JSON.stringify(sizes)).toBeLessThanOrEqual(150_000);
});

it('the parser of SPARQL takes at most 90 kB, and is there once, in a worker', () => {
  const parsers = files.filter((path) => path.endsWith('.js') && readFileSync(path, 'utf8').includes('BASE'));
  const sizes = sizesOf(parsers.filter((path) => readFileSync(path, 'utf8').includes('GROUP_CONCAT')));
  expect(Object.keys(sizes)).toEqual([expect.stringContaining('sparql-worker')]);
  expect(sumOf(sizes), JSON.stringify(sizes)).toBeLessThanOrEqual(90_000);
});

it('the page has no script or style within it, and loads nothing from elsewhere', () => {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  expect(html).toMatch(/<script type="module"[^>]* src="\.\//);
  expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?:/);
});
