// Installs wrangler, of the version that examples/worker asks for, where test/packaging/wrangler.test.ts looks for it.
//
//   npm run wrangler:install
//
// It is no dependency of the workspace: 200 MB, of which one test needs a bundler and a parser of its configuration.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../node_modules/.cache/fuzzqe-wrangler/', import.meta.url));
const example = JSON.parse(readFileSync(new URL('../examples/worker/package.json', import.meta.url), 'utf8'));
const wanted = example.devDependencies.wrangler;
const manifest = `${folder}node_modules/wrangler/package.json`;
if (!existsSync(manifest) || JSON.parse(readFileSync(manifest, 'utf8')).version !== wanted) {
  mkdirSync(folder, { recursive: true });
  // A folder of its own: npm would look for a workspace above it.
  writeFileSync(`${folder}package.json`, '{ "private": true }\n');
  const { status } = spawnSync(
    'npm',
    [
      'install',
      '--prefix',
      folder,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-save',
      `wrangler@${wanted}`,
    ],
    { stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
}
process.stdout.write(`wrangler ${wanted}: ${manifest}\n`);
