import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fuzzqe-bin-'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  copyFileSync(fileURLToPath(new URL('../bin/fuzzqe.js', import.meta.url)), join(folder, 'bin/fuzzqe.js'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [join(folder, 'bin/fuzzqe.js'), '--version'], { encoding: 'utf8' });

it('says in one line what to run where nothing is built', () => {
  const { status, stdout, stderr } = start();
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^fuzzqe: not built yet: run npm run build .*\n$/);
});

it('starts what is built', () => {
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/main.js'), `export const main = () => console.log('started');`);
  expect(start()).toMatchObject({ status: 0, stdout: 'started\n', stderr: '' });
});
