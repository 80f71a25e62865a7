import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
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

it('ends by itself on a signal that comes while modules are loading, as the first process of a container must', async () => {
  mkdirSync(join(folder, 'dist'), { recursive: true });
  writeFileSync(
    join(folder, 'dist/main.js'),
    `console.log('loading'); await new Promise((done) => setTimeout(done, 60_000)); export const main = () => {};`,
  );
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    const child = spawn(process.execPath, [join(folder, 'bin/fuzzqe.js'), '--version']);
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([code, null]);
  }
});

it('leaves signals to the command once it has loaded', async () => {
  writeFileSync(
    join(folder, 'dist/main.js'),
    `export const main = () => { console.log(process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')); };`,
  );
  expect(start()).toMatchObject({ status: 0, stdout: '0\n' });
});
