/**
 * The packages of a lockfile: `all`, and with `production` those that npm installs for anyone who installs every package of this
 * workspace: dependencies, optional ones included, and theirs. Sorted by name and version, each once.
 */
export function lockedPackages(lock, { production = false } = {}) {
  const paths = production
    ? productionPaths(lock)
    : Object.keys(lock.packages).filter((path) => path.includes('node_modules/'));
  const found = new Map();
  for (const path of paths) {
    const entry = lock.packages[path];
    if (entry.link === true) continue;
    const name = entry.name ?? nameOf(path);
    const key = `${name}@${entry.version}`;
    const own = !path.includes('node_modules/');
    const dependencies = dependenciesOf(lock, path).map((at) => keyOf(lock, at));
    const known = found.get(key);
    const scripts = entry.hasInstallScript === true;
    if (known === undefined)
      found.set(key, {
        key,
        name,
        version: entry.version,
        path,
        own,
        entry,
        scripts,
        dependencies: new Set(dependencies),
      });
    else for (const each of dependencies) known.dependencies.add(each);
  }
  return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** What follows the last folder of packages: of a workspace that is named as its folder, the lock says no name. */
const nameOf = (path) => /^(?:.*node_modules\/|packages\/)(.+)$/.exec(path)[1];

function keyOf(lock, path) {
  const { name, version } = lock.packages[path];
  return `${name ?? nameOf(path)}@${version}`;
}

function productionPaths(lock) {
  const found = new Set();
  const visit = (path) => {
    if (found.has(path)) return;
    found.add(path);
    dependenciesOf(lock, path).forEach(visit);
  };
  Object.keys(lock.packages)
    .filter((path) => path.startsWith('packages/') && !path.includes('node_modules'))
    .forEach(visit);
  return [...found];
}

/** Where what a package depends on lies; peers only where they are no choice of the user's. */
function dependenciesOf(lock, path) {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = lock.packages[path];
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers].map((name) =>
    resolve(lock, path, name),
  );
}

/** Node's resolution, on the lockfile. */
function resolve(lock, from, name) {
  for (let folder = from; ; folder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '') {
    const at = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    const entry = lock.packages[at];
    if (entry !== undefined) return entry.link === true ? entry.resolved : at;
    if (folder === '') throw new Error(`${name}, which ${from} needs, is not in the lockfile`);
  }
}
