import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { type AdvisoryList, findAdvisories } from '../../scripts/supply-chain/advisories.mjs';
import {
  type LockedPackage,
  type Lockfile,
  lockedPackages,
} from '../../scripts/supply-chain/locked-packages.mjs';
import { readJson, root } from './workspace.ts';

const tarballs = inject('tarballs');
const scratch = mkdtempSync(join(tmpdir(), 'fuzzqe-consumer-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What npm would install for a user of packages of this workspace, by their tarballs, beside packages of the registry. */
function consumerOf(
  names: readonly string[],
  others: readonly string[] = [],
): readonly LockedPackage[] | string {
  const folder = mkdtempSync(join(scratch, 'app-'));
  const dependencies = names.map((name) => [
    name,
    `file:${tarballs.find((each) => each.name === name)!.path}`,
  ]);
  // What these need of one another is no choice of the registry's.
  const overrides = tarballs.map(({ name, path }) => [name, `file:${path}`]);
  const manifest = {
    private: true,
    dependencies: Object.fromEntries([...dependencies, ...others.map((each) => each.split(/(?<!^)@/))]),
    overrides: Object.fromEntries(overrides),
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const args = ['install', '--package-lock-only', '--prefer-offline', '--no-audit', '--fetch-retries=0'];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: 280_000 });
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED/.test(stderr)) return stderr;
  if (status !== 0) throw new Error(stderr);
  return lockedPackages(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as Lockfile);
}

const withScripts = (packages: readonly LockedPackage[]): readonly string[] => [
  ...new Set(packages.filter(({ scripts }) => scripts).map(({ name }) => name)),
];

describe('whoever installs', { timeout: 300_000 }, () => {
  const list = readJson(join(root, 'scripts/supply-chain/advisories.json')) as unknown as AdvisoryList; // checked by test/supply-chain

  it('@fuzzqe/train and @fuzzqe/tfjs gets no libtensorflow, no vulnerable tar, and two install scripts', ({
    skip,
  }) => {
    const packages = consumerOf(['@fuzzqe/train', '@fuzzqe/tfjs']);
    if (typeof packages === 'string') return skip(`npm has no network: ${packages.split('\n')[0]}`);
    expect(withScripts(packages)).toEqual(['onnxruntime-node', 'webgpu']);
    expect(packages.filter(({ name }) => /^(?:tar|@tensorflow\/tfjs-node.*)$/.test(name))).toEqual([]);
    expect(findAdvisories(packages, { ...list, accepted: [] }).open).toEqual([]);
  });

  it('@tensorflow/tfjs-node-gpu as well gets its script and its tar, and they are found', ({ skip }) => {
    const packages = consumerOf(['@fuzzqe/tfjs'], ['@tensorflow/tfjs-node-gpu@4.22.0']);
    if (typeof packages === 'string') return skip(`npm has no network: ${packages.split('\n')[0]}`);
    expect(withScripts(packages)).toContain('@tensorflow/tfjs-node-gpu');
    const known = findAdvisories(packages, { ...list, accepted: [] }).open.filter(
      ({ name }) => name === 'tar',
    );
    expect(known.length).toBeGreaterThanOrEqual(5);
  });
});
