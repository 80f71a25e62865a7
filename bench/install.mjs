// What an installation weighs: packs the built packages and installs them into empty folders, without install scripts.
//
//   npm run build && node bench/install.mjs
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-install-'));

function run(cwd, program, ...args) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}

/** Packages with those of this workspace that they depend on. */
function withDependencies(names) {
  const all = new Set(names);
  for (const name of all) {
    const file = join(root, 'packages', name, 'package.json');
    const { dependencies = {} } = JSON.parse(readFileSync(file, 'utf8'));
    for (const needed of Object.keys(dependencies))
      if (needed.startsWith('@fuzzqe/')) all.add(needed.slice('@fuzzqe/'.length));
  }
  return [...all];
}

try {
  run(root, 'npm', 'pack', '--workspaces', '--silent', '--pack-destination', folder);
  const tarballs = readdirSync(folder).map((name) => ({
    name: name.replace(/^fuzzqe-(?!\d)|-?\d+\.\d+\.\d+\.tgz$/g, ''),
    path: join(folder, name),
  }));
  const everything = tarballs.map(({ name }) => name);
  const installations = {
    serve: withDependencies(['serve']),
    'everything but tfjs': everything.filter((name) => name !== 'tfjs'),
    everything,
  };
  for (const [title, names] of Object.entries(installations)) {
    const target = join(folder, title.replaceAll(/\W+/g, '-'));
    mkdirSync(target);
    writeFileSync(join(target, 'package.json'), '{"private": true}');
    const wanted = tarballs.filter(({ name }) => names.includes(name)).map(({ path }) => path);
    run(target, 'npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted);
    const [megabytes] = run(target, 'du', '-sm', 'node_modules').split('\t');
    const packages = run(target, 'npm', 'ls', '--all', '--parseable').trim().split('\n').length - 1;
    console.log(`${title.padEnd(20)} ${megabytes.padStart(5)} MiB  ${packages} packages`);
    console.log(run(target, 'sh', '-c', 'du -sm node_modules/* node_modules/@*/* | sort -rn | head -8'));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
