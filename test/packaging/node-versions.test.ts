import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logicNames } from '@fuzzqe/core/logic';
import { afterAll, expect, it } from 'vitest';
import { root } from './workspace.ts';

const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-node-'));
// Three whole Nodes with npm: on a busy disk removing them takes longer than a hook's default minute.
afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);

const script = join(root, 'test/packaging/export-tiny.mjs');
// npm's package `node` fetches one of these by an install script, which this workspace does not run.
const binaryPackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

function bundlesOf(node: string, name: string): string {
  const { status, stdout, stderr } = spawnSync(node, [script, join(folder, `bundles-${name}`)], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
  return stdout;
}

/** A Node of another version, or why there is none. */
function nodeOf(version: number): { readonly path: string } | { readonly reason: string } {
  const prefix = join(folder, `node-${version}`);
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--no-save', '--fetch-retries=0', '--prefix', prefix, `${binaryPackage}@${version}`],
    { cwd: tmpdir(), encoding: 'utf8', timeout: 120_000, shell: process.platform === 'win32' },
  );
  const path = join(
    prefix,
    'node_modules',
    binaryPackage,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  if (status === 0 && existsSync(path)) return { path };
  const last = stderr?.trim().split('\n').at(-1) ?? '';
  return { reason: `npm gave no ${binaryPackage}@${version}: ${last || 'it took too long'}` };
}

let own: string | undefined;

it.for([20, 22, 24])(
  'Node %d exports the same bytes as this Node',
  { timeout: 240_000 },
  (version, { skip }) => {
    if (!existsSync(join(root, 'packages/export/dist'))) skip('the packages are not built');
    const found = nodeOf(version);
    if ('reason' in found) {
      process.stderr.write(`skipped: ${found.reason}\n`);
      return skip(found.reason);
    }
    own ??= bundlesOf(process.execPath, 'own');
    // One of each logic and of each of the seven other families, and one with unsure facts.
    expect(own.trim().split('\n')).toHaveLength(logicNames.length + 8);
    expect(bundlesOf(found.path, `${version}`)).toBe(own);
  },
);
