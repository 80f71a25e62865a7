// Installs what examples ask for and the workspace lacks, for the tests that build these examples:
//
//   node scripts/install-for-examples.mjs NAME EXAMPLE...
//
// The packages go to node_modules/.cache/fuzzqe-NAME. They are no dependencies of the workspace: 200 MB each, for a test or two.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [name, ...examples] = process.argv.slice(2);
const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

const folder = pathOf(`node_modules/.cache/fuzzqe-${name}/`);
const asked = examples.flatMap((example) => {
  const { dependencies, devDependencies } = read(pathOf(`examples/${example}/package.json`));
  return Object.entries({ ...dependencies, ...devDependencies });
});
const wanted = new Map(asked.filter(([each]) => !existsSync(pathOf(`node_modules/${each}`))));
const isThere = ([each, version]) => {
  const manifest = `${folder}node_modules/${each}/package.json`;
  return existsSync(manifest) && read(manifest).version === version;
};
if (![...wanted].every(isThere)) {
  mkdirSync(folder, { recursive: true });
  // A folder of its own: npm would look for a workspace above it.
  writeFileSync(`${folder}package.json`, '{ "private": true }\n');
  const packages = [...wanted].map((each) => each.join('@'));
  const { status } = spawnSync(
    'npm',
    [
      ...['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'],
      // Peers that the workspace has.
      ...['--legacy-peer-deps', ...packages],
    ],
    { stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
}
for (const [each, version] of wanted)
  process.stdout.write(`${each} ${version}: ${folder}node_modules/${each}\n`);
