import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The packages that a built module imports when it is loaded, itself or through its files: `hono` for `hono/cors`.
 *
 * An import on demand, `import('…')`, does not count in code; in declarations (`.d.ts`) it is a type, and does.
 */
export function modulesLoadedBy(entry: string): ReadonlySet<string> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const declarations = file.endsWith('.d.ts');
    for (const name of importsOf(readFileSync(file, 'utf8'), declarations))
      if (name.startsWith('.')) {
        const path = join(dirname(file), name);
        visit(declarations ? path.replace(/\.[jt]s$/, '.d.ts') : path);
      } else if (!name.startsWith('node:')) packages.add(packageOf(name));
  };
  visit(entry);
  return packages;
}

function importsOf(code: string, declarations: boolean): readonly string[] {
  // Comments and template literals may hold examples.
  const text = code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').replaceAll(/`(?:\\.|[^`\\])*`/g, '``');
  const statement =
    /(?:^|\n)\s*(?:import|export)\b[^;'"`]*?\bfrom\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g;
  const type = /\bimport\(['"]([^'"]+)['"]\)/g;
  return [...text.matchAll(statement), ...(declarations ? text.matchAll(type) : [])].map(
    ([, from, bare]) => (from ?? bare)!,
  );
}

const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/');
