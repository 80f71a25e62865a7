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

/** Whether a built module does something when it is loaded, beside making its own values. */
export function actsWhenLoaded(code: string): boolean {
  const call = /^(?:await |void )?[\w$]+(?:[.!?][\w$]+)*\(/m;
  const statement = /^(?:(?:if|for|while|try|switch)\b|import\s*['"]\.|[\w$]+(?:\.[\w$]+)+ [^=\n]*=[^=>])/m;
  const text = withoutExamples(code);
  return call.test(text) || statement.test(text);
}

/** Code without comments and template literals, which may hold examples. */
function withoutExamples(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').replaceAll(/`(?:\\.|[^`\\])*`/g, '``');
}

function importsOf(code: string, declarations: boolean): readonly string[] {
  const text = withoutExamples(code);
  const statement =
    /(?:^|\n)\s*(?:import|export)\b[^;'"`]*?\bfrom\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g;
  const type = /\bimport\(['"]([^'"]+)['"]\)/g;
  return [...text.matchAll(statement), ...(declarations ? text.matchAll(type) : [])].map(
    ([, from, bare]) => (from ?? bare)!,
  );
}

const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/');
