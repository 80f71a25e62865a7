import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectWritable, makeFolder } from '../index.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-folders-'));
  await writeFile(join(root, 'file'), '');
});
afterAll(() => rm(root, { recursive: true }));

describe('a folder to write in', () => {
  it('is made with those above it, and may be there already', async () => {
    const deep = join(root, 'a', 'b', 'c');
    await Promise.all([makeFolder(deep), makeFolder(deep)]);
    await makeFolder(deep);
    expect((await stat(deep)).isDirectory()).toBe(true);
  });

  it('is tried without leaving anything behind', async () => {
    const before = await readdir(root);
    await expectWritable(join(root, 'new', 'deeper'));
    await expectWritable(root);
    expect(await readdir(root)).toEqual(before);
  });

  it('loses what a trial left whose process was killed, and nothing else', async () => {
    const folder = join(root, 'tried');
    const long = new Date(Date.now() - 120_000);
    for (const name of ['.fuzzqe-AbC123', '.fuzzqe-filled', '.fuzzqe-longer1', '.fuzzqe-recent'])
      await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, '.fuzzqe-filled', 'file'), '');
    for (const name of ['.fuzzqe-AbC123', '.fuzzqe-filled', '.fuzzqe-longer1'])
      await utimes(join(folder, name), long, long);
    await expectWritable(folder);
    // What is in use, has content or another name stays.
    expect((await readdir(folder)).sort()).toEqual(['.fuzzqe-filled', '.fuzzqe-longer1', '.fuzzqe-recent']);
  });

  it('cannot be below a file', async () => {
    for (const refused of [expectWritable, makeFolder])
      await expect(refused(join(root, 'file', 'deeper'))).rejects.toMatchObject({
        code: 'storage',
        message: expect.stringContaining('got a file'),
      });
  });

  it.runIf(process.platform === 'linux')('is refused at once where the system has none made', async () => {
    for (const refused of [expectWritable, makeFolder])
      await expect(refused('/proc/none/deeper')).rejects.toMatchObject({
        code: 'storage',
        path: '/proc/none/deeper',
        message: expect.stringMatching(/nothing can be written in \/proc\S*: .* \(E[A-Z]+\)/),
      });
  });
});
