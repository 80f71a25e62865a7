// Fails where two folders of one package import each other, directly or through others:
//
//   node scripts/folder-cycles.mjs
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const specifiers = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/**
 * Cycles among the folders of a package, each as the folders on it.
 *
 * `files` holds sources by their paths below `src`. Folders are compared with their siblings, and the files directly in
 * `src`, as one more folder, with those next to them; a nested folder is a part of the one around it. Entry points
 * (`index.ts` directly in `src`) only list what others export, and tests may use anything.
 */
export function folderCycles(files) {
  const edges = new Map();
  for (const [path, text] of files) {
    if (path === 'index.ts' || /\.test\.tsx?$/.test(path)) continue;
    for (const [, specifier] of text.matchAll(specifiers)) {
      const edge = edgeOf(path, posix.join(posix.dirname(path), specifier));
      if (edge === undefined) continue;
      const [from, to] = edge;
      edges.set(from, (edges.get(from) ?? new Set()).add(to));
    }
  }
  const reachable = (from) => {
    const found = new Set();
    const open = [from];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop())
      for (const next of edges.get(folder) ?? [])
        if (!found.has(next)) {
          found.add(next);
          open.push(next);
        }
    return found;
  };
  const reach = new Map([...edges.keys()].map((folder) => [folder, reachable(folder)]));
  const cycles = [...reach.keys()]
    .filter((folder) => reach.get(folder).has(folder))
    .map((folder) => [...reach.get(folder)].filter((other) => reach.get(other)?.has(folder)).sort());
  return [...new Map(cycles.map((cycle) => [cycle.join(), cycle])).values()];
}

/** The sibling folders that an import joins, or nothing where it stays in one. */
function edgeOf(from, to) {
  const [a, b] = [from, to].map((path) => posix.dirname(path).split('/'));
  let depth = 0;
  while (depth < a.length && depth < b.length && a[depth] === b[depth]) depth += 1;
  if (depth > 0 && (depth === a.length || depth === b.length)) return undefined;
  return [a, b].map((parts) => parts.slice(0, depth + 1).join('/'));
}

function sourcesOf(name) {
  const folder = join(dirname(fileURLToPath(import.meta.url)), '../packages', name, 'src');
  return readdirSync(folder, { recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => [path, readFileSync(join(folder, path), 'utf8')]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const packages = readdirSync(join(dirname(fileURLToPath(import.meta.url)), '../packages'));
  for (const name of packages)
    for (const cycle of folderCycles(sourcesOf(name))) {
      console.error(
        `packages/${name}/src: the folders ${cycle.join(', ')} import each other ("." is src itself)`,
      );
      process.exitCode = 1;
    }
}
