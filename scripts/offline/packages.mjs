import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/**
 * The package `start` of a workspace and everything it depends on, as `node` would resolve it: each with its manifest,
 * its folder here and its folder in the archive. Of the optional peers, those of this workspace are packed.
 */
export function collectPackages(root, start, exclusions) {
  const found = new Map();
  visit(realpathSync(join(root, 'node_modules', start)), undefined);
  return [...found.values()].sort((a, b) => (a.target < b.target ? -1 : 1));

  function visit(folder) {
    if (found.has(folder)) return;
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    found.set(folder, { manifest, folder, target: targetOf(folder, manifest.name) });
    const peers = Object.keys(manifest.peerDependencies ?? {}).filter((name) => name.startsWith('@fuzzqe/'));
    for (const name of [
      ...Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }),
      ...peers,
    ])
      if (!exclusions.leavesOutPackage(manifest.name, name)) visit(resolvePackage(folder, name));
  }

  /** Where a package goes, so that every `require` and `import` finds what it finds here. */
  function targetOf(folder, name) {
    const at = folder.lastIndexOf(`${sep}node_modules${sep}`);
    if (at === -1) return `lib/node_modules/${name}`;
    const owner = folder.slice(0, at);
    if (owner === root) return `lib/node_modules/${name}`;
    return `${found.get(owner).target}/node_modules/${name}`;
  }
}

function resolvePackage(from, name) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (folder === dirname(folder))
      throw new Error(`${name}, which ${from} needs, is not installed: run npm ci`);
  }
}

/** The files of a package that are packed, as paths inside it. */
export function filesOf({ manifest, folder }, exclusions) {
  const own = /^(?:@fuzzqe\/.*|fuzzqe|create-fuzzqe)$/.test(manifest.name);
  // Of the workspace's own packages, what runs: the archive holds the licence once.
  const tops = own
    ? ['package.json', 'bin', 'dist'].filter((top) => existsSync(join(folder, top)))
    : readdirSync(folder);
  if (own && !existsSync(join(folder, 'dist')))
    throw new Error(`${manifest.name} is not built: run npm run build`);
  return tops.flatMap((top) => (top === 'node_modules' ? [] : filesUnder(top))).sort();

  function filesUnder(path) {
    const entries = entriesOf(join(folder, path));
    if (entries !== undefined) return entries.flatMap((name) => filesUnder(`${path}/${name}`));
    return exclusions.leavesOutFile(manifest.name, path) ? [] : [path];
  }
}

/** What is in a folder; undefined for a file. */
function entriesOf(path) {
  try {
    return readdirSync(path);
  } catch (error) {
    if (error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}
