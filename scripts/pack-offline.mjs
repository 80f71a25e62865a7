// One archive that runs on a linux-x64 machine without a network and without Node:
//
//   npm run pack:offline [-- --out FOLDER] [--preset 0..9]
//
// docs/offline.md says what is inside; scripts/offline/exclusions.mjs, what is not and why.
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { largest, packFolder, parsePreset, usualPreset } from './offline/archive.mjs';
import { Exclusions } from './offline/exclusions.mjs';
import { versionOf, writeLicences } from './offline/licences.mjs';
import { placeNode } from './offline/node-binary.mjs';
import { collectPackages, filesOf } from './offline/packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

const launcher = `#!/bin/sh
# Runs fuzzqe with the Node beside it, from any folder and through symbolic links.
self=$0
case $self in */*) ;; *) self=./$self ;; esac
while [ -L "$self" ]; do
  target=$(readlink "$self") || exit 1
  case $target in /*) self=$target ;; *) self=\${self%/*}/$target ;; esac
done
here=$(CDPATH='' cd "\${self%/*}" && pwd -P) || exit 1
if [ ! -x "$here/bin/node" ]; then
  echo "fuzzqe: $here/bin/node is missing: unpack the whole archive again" >&2
  exit 127
fi
exec "$here/bin/node" "$here/lib/node_modules/fuzzqe/bin/fuzzqe.js" "$@"
`;

/** Copies the packages, with modes that do not depend on who installed them. Returns the sizes by package. */
function placePackages(folder, exclusions) {
  const packages = collectPackages(root, 'fuzzqe', exclusions).map((found) => ({
    ...found,
    files: filesOf(found, exclusions),
  }));
  const stale = exclusions.stale();
  if (stale.length > 0)
    throw new Error(
      `Nothing meets these exclusions any more:\n  ${stale.map(({ reason }) => reason).join('\n  ')}`,
    );
  for (const { folder: source, target, files } of packages)
    for (const path of files) {
      const to = join(folder, target, path);
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(join(source, path), to);
      chmodSync(to, 0o644);
    }
  return packages;
}

function listLargest(folder, packages) {
  const files = packages.flatMap(({ target, files: paths }) => paths.map((path) => `${target}/${path}`));
  return ['bin/node', ...files]
    .map((path) => ({ path, size: statSync(join(folder, path)).size }))
    .sort((a, b) => b.size - a.size)
    .slice(0, 12)
    .map(({ path, size }) => `  ${mebibytes(size).padStart(10)}  ${path}`);
}

function parseOptions() {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(root, 'dist/offline') },
      preset: { type: 'string', default: `${usualPreset}` },
    },
  });
  return { out: resolve(values.out), preset: parsePreset(values.preset) };
}

function pack({ out, preset }) {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('The archive is made on linux-x64.');
  const started = performance.now();
  const name = `fuzzqe-${versionOf(root)}-linux-x64`;
  const work = mkdtempSync(join(tmpdir(), 'fuzzqe-offline-'));
  process.umask(0o022);
  try {
    const folder = join(work, name);
    mkdirSync(join(folder, 'LICENSES'), { recursive: true });
    const node = placeNode(work, join(folder, 'bin/node'), join(folder, 'LICENSES/node.txt'));
    const packages = placePackages(folder, new Exclusions());
    writeLicences(root, join(folder, 'LICENSES'), packages, node);
    writeFileSync(join(folder, 'fuzzqe'), launcher, { mode: 0o755 });
    mkdirSync(out, { recursive: true });
    const archive = join(out, `${name}.tar.xz`);
    const { size, digest } = packFolder(folder, archive, preset, (bytes) => {
      if (bytes <= largest) return;
      const tooLarge = `${mebibytes(bytes)}, and ${mebibytes(largest)} is the limit`;
      // Packed fast, it is larger than what is given out, and still good to try.
      if (preset < usualPreset) console.log(`${tooLarge} of what is given out: pack that without --preset`);
      else throw new Error([`${tooLarge}. The largest files:`, ...listLargest(folder, packages)].join('\n'));
    });
    console.log(
      `${packages.length} packages; ${archive}: ${mebibytes(size)} (${size} bytes), sha256 ${digest}`,
    );
    console.log(`Packed in ${Math.round((performance.now() - started) / 1000)} s`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

try {
  pack(parseOptions());
} catch (error) {
  console.error(`pack:offline: ${error.message}`);
  process.exitCode = 1;
}
