import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tinyBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe } from '../testing/run-fuzzqe.ts';

describe('fuzzqe new worker', () => {
  const folders: string[] = [];
  let folder: string;
  let workers: string;
  let node: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-new-'));
    [workers, node] = await Promise.all([
      tinyBundle('tiny', ['int8-basis'], 'workers').then(({ directory }) => directory),
      tinyBundle().then(({ directory }) => directory),
    ]);
    folders.push(folder, workers, node);
  });
  afterAll(() => Promise.all(folders.map((each) => rm(each, { recursive: true, force: true }))));

  it('writes a project of its name with a copy of the bundle', async () => {
    const target = join(folder, 'My Worker');
    expect(await runFuzzqe('new', 'worker', target, '--bundle', workers)).toMatchObject({ code: 0 });
    expect((await readdir(target)).toSorted()).toEqual(
      ['.gitignore', 'README.md', 'assets', 'package.json', 'src', 'wrangler.jsonc'].toSorted(),
    );
    expect(await readFile(join(target, 'wrangler.jsonc'), 'utf8')).toContain('"name": "my-worker"');
    expect((await readdir(join(target, 'assets/bundle'))).toSorted()).toEqual(
      (await readdir(workers)).toSorted(),
    );
    expect((await readdir(folder)).toSorted()).toEqual(['My Worker']);
  });

  it('refuses a folder with something in it, and a bundle for servers', async () => {
    const full = join(folder, 'full');
    await runFuzzqe('new', 'worker', full);
    await writeFile(join(full, 'mine.txt'), 'mine');
    for (const [args, message] of [
      [[full], /expected a new or an empty folder/],
      [[join(folder, 'other'), '--bundle', node], /expected a bundle for Workers, got one of format 3/],
    ] as const) {
      const { code, notes } = await runFuzzqe('new', 'worker', ...args);
      expect({ code, notes }).toEqual({ code: 2, notes: expect.stringMatching(message) });
    }
    expect(await readFile(join(full, 'mine.txt'), 'utf8')).toBe('mine');
    expect(await readdir(folder)).not.toContain('other');
  });

  it('leaves a file of that name as it is, and what stands beside it', async () => {
    const file = join(folder, 'notes.txt');
    await writeFile(file, 'mine');
    await mkdir(join(folder, 'fresh.new'));
    const { code, notes } = await runFuzzqe('new', 'worker', file);
    expect({ code, notes }).toEqual({ code: 2, notes: expect.stringMatching(/got a file/) });
    expect(await readFile(file, 'utf8')).toBe('mine');
    expect(await runFuzzqe('new', 'worker', join(folder, 'fresh'))).toMatchObject({ code: 0 });
    expect(await readdir(folder)).toContain('fresh.new');
  });

  it.each([
    ['Länder_', 'lander'],
    ['国', 'fuzzqe-worker'],
    ['__a__b', 'a-b'],
  ])('names the Worker of the folder %s %s', async (name, expected) => {
    await runFuzzqe('new', 'worker', join(folder, name));
    for (const file of ['package.json', 'wrangler.jsonc'])
      expect(await readFile(join(folder, name, file), 'utf8')).toContain(`"name": "${expected}"`);
  });
});
