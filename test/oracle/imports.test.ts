import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Files that speak to the product: they compare, and the oracle does not import them. */
const comparing = ['cases.ts', 'compare.ts', 'mutated-product.ts', 'product.ts'];
const files = readdirSync(new URL('.', import.meta.url)).filter((name) => /(?<!\.test)\.ts$/.test(name));
const oracle = files.filter((name) => !comparing.includes(name));

/** Every module that a text imports, re-exports or loads. */
function imported(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"`]([^'"`]+)['"`]/g)].map(
    ([, name]) => name!,
  );
}

it.each(oracle)('%s imports Node modules and files of the oracle alone', (name) => {
  const own = oracle.map((file) => `./${file}`);
  const text = readFileSync(new URL(name, import.meta.url), 'utf8');
  expect(imported(text).filter((from) => !from.startsWith('node:') && !own.includes(from))).toEqual([]);
});

it('finds every kind of import', () => {
  const text = `import a from 'a'; import type { B } from "b"; export * from 'c'; await import('d'); import 'e';`;
  expect(imported(text)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(oracle).toContain('model.ts');
});
