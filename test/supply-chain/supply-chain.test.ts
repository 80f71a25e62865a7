import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type AdvisoryList,
  compareVersions,
  findAdvisories,
  findingsOfNpm,
} from '../../scripts/supply-chain/advisories.mjs';
import { exceptions, licenceReport, readLicences, refused } from '../../scripts/supply-chain/licences.mjs';
import { type Lockfile, lockedPackages } from '../../scripts/supply-chain/locked-packages.mjs';
import { billOfMaterials } from '../../scripts/supply-chain/sbom.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): unknown => JSON.parse(readFileSync(`${root}${path}`, 'utf8'));
const lock = read('package-lock.json') as Lockfile; // npm wrote it
const list = read('scripts/supply-chain/advisories.json') as AdvisoryList; // its ranges are checked below

/** A lockfile with a package of this version in the place of another. */
function withVersion(name: string, version: string): Lockfile {
  const path = `node_modules/${name}`;
  return { packages: { ...lock.packages, [path]: { ...lock.packages[path], version } } };
}

describe('known vulnerabilities', () => {
  it('are in no locked package, but for those that are accepted with a reason', () => {
    const { open, accepted, idle } = findAdvisories(lockedPackages(lock), list);
    expect({ open, idle }).toEqual({ open: [], idle: [] });
    for (const { reason } of accepted) expect(reason!.length).toBeGreaterThan(20);
  });

  it('are in no package that users install, accepted or not', () => {
    const { open, accepted } = findAdvisories(lockedPackages(lock, { production: true }), list);
    expect([...open, ...accepted]).toEqual([]);
  });

  it('are found in a version that has one, and an acceptance that nothing meets is', () => {
    const { open } = findAdvisories(lockedPackages(withVersion('hono', '4.13.6')), list);
    expect(open.map(({ name, version }) => `${name}@${version}`)).toContain('hono@4.13.6');
    const [first] = list.advisories;
    const needless = { package: first!.package, id: 'CVE-0000-0000', reason: 'none' };
    const { idle } = findAdvisories(lockedPackages(lock), {
      ...list,
      accepted: [...list.accepted, needless],
    });
    expect(idle).toEqual([needless]);
  });

  it('have ranges that end, and end after they begin', () => {
    for (const { id, affected } of list.advisories) {
      expect(affected.length, id).toBeGreaterThan(0);
      for (const { introduced = '0.0.0', fixed } of affected)
        expect(compareVersions(introduced, fixed!), id).toBeLessThan(0);
    }
  });

  it('are told by npm, where the registry answers', () => {
    const via = [
      { name: 'tar', url: 'https://github.com/advisories/GHSA-1', severity: 'high', title: 't', range: '<7' },
    ];
    const report = { vulnerabilities: { tar: { via }, '@x/y': { via: ['tar'] } } };
    expect(findingsOfNpm(JSON.stringify(report))).toEqual([
      { id: 'GHSA-1', name: 'tar', version: '<7', severity: 'high', summary: 't' },
    ]);
    expect(findingsOfNpm('{"message": "405 Method Not Allowed"}')).toBeUndefined();
    expect(findingsOfNpm('')).toBeUndefined();
  });

  it('versions are ordered as semantic versioning says', () => {
    const ordered = ['1.9.9', '2.0.0-beta.1', '2.0.0', '2.0.10', '2.1.0', '10.0.0'];
    for (let i = 1; i < ordered.length; i++)
      expect(compareVersions(ordered[i - 1]!, ordered[i]!)).toBeLessThan(0);
    expect(compareVersions('1.2.3', '1.2.3+build')).toBe(0);
  });
});

describe('what users install', () => {
  const production = lockedPackages(lock, { production: true });

  it('is what npm says it is, apart from what only optional peers bring', () => {
    const args = [
      'ls',
      '--all',
      '--parseable',
      '--long',
      '--omit=dev',
      '--package-lock-only',
      '--workspaces',
    ];
    const { stdout } = spawnSync('npm', args, {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    const named = stdout.matchAll(/:((?:@[^/@:]+\/)?[^/@:]+@\d[^:\n]*)/g);
    const listed = new Set([...named].map(([, key]) => key!));
    const keys = production.map(({ key }) => key);
    expect(keys.filter((key) => !listed.has(key))).toEqual([]);
    const more = lockedPackages(lock).filter(({ key }) => listed.has(key) && !keys.includes(key));
    expect(more.length).toBeGreaterThan(0);
    // npm marks what somebody may leave out; a dependency of a package of ours is not marked.
    const unmarked = more.filter(
      ({ entry }) => !['dev', 'optional', 'devOptional', 'peer'].some((mark) => entry[mark] === true),
    );
    expect(unmarked.map(({ key }) => key)).toEqual([]);
  });

  it('has three packages with an install script, none of them needed', () => {
    expect(production.filter(({ scripts }) => scripts).map(({ name }) => name)).toEqual([
      'onnxruntime-node',
      'protobufjs',
      'webgpu',
    ]);
  });

  it('is under permissive licences alone', () => {
    const licences = readLicences();
    expect(licences).toHaveLength(production.filter(({ own }) => !own).length);
    expect(refused(licences)).toEqual([]);
    expect(Object.keys(exceptions).filter((name) => !licences.some((each) => each.name === name))).toEqual(
      [],
    );
  });

  it('would be refused under a licence that reaches further, or none', () => {
    const [first] = readLicences();
    const wrong = ['GPL-3.0-only', 'MIT AND LGPL-2.1', 'unknown', 'SEE LICENSE IN x', 'AGPL-3.0 OR SSPL-1.0'];
    for (const licence of wrong) expect(refused([{ ...first!, licence }]), licence).toHaveLength(1);
    expect(refused([{ ...first!, licence: '(MIT OR GPL-3.0-only)' }])).toEqual([]);
  });

  it('is listed in docs/licences.md, with those that bring no text', () => {
    const written = readFileSync(`${root}docs/licences.md`, 'utf8');
    expect(written, 'run npm run licences').toBe(licenceReport(readLicences()));
    expect(written).toMatch(/bring no text of it: .*`onnxruntime-node`/);
  });

  it('is in the bill of materials, each with its digest, and nothing else', () => {
    const bill = billOfMaterials(lock);
    const all = [bill.metadata.component, ...bill.components];
    expect(all.map(({ name, version }) => `${name}@${version}`).sort()).toEqual(
      production.map(({ key }) => key).sort(),
    );
    const references = new Set(all.map((component) => component['bom-ref']));
    expect(references.size).toBe(all.length);
    expect(new Set(bill.dependencies.map(({ ref }) => ref))).toEqual(references);
    for (const { dependsOn } of bill.dependencies)
      for (const ref of dependsOn) expect(references.has(ref)).toBe(true);
    for (const { name, purl, hashes } of all) {
      expect(purl).toMatch(/^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d/);
      if (/^(?:@fuzzqe\/.*|fuzzqe|create-fuzzqe)$/.test(name)) expect(hashes).toBeUndefined();
      else expect(hashes![0]!.content).toMatch(/^(?:[0-9a-f]{128}|[0-9a-f]{40})$/);
    }
    expect(JSON.stringify(billOfMaterials(lock))).toBe(JSON.stringify(bill));
  });
});
