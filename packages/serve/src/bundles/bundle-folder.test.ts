import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFolder } from '../index.ts';

describe('bundleFolder', () => {
  let root: string;
  const at = (...parts: readonly string[]): string => join(root, ...parts);
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'fuzzqe-repository-'));
    for (const folder of ['a/2', 'a/10', 'a/9', 'a/old', 'b/1', 'alone']) {
      await mkdir(at(folder), { recursive: true });
      await writeFile(at(folder, 'manifest.json'), '{}');
    }
    // Half-written: a number that is taken, a copy under way, a temporary folder, numbers that are none.
    for (const folder of ['a/11', 'a/12/models', 'a/.13.new-1', 'a/014', 'a/1e3', 'c/3'])
      await mkdir(at(folder), { recursive: true });
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('is the folder of a bundle itself, and a version that is named', async () => {
    for (const folder of [at('alone'), at('a', '2'), at('a', 'old')])
      expect(await bundleFolder(folder)).toBe(folder);
  });

  it('is the newest version that is whole, by number', async () => {
    expect(await bundleFolder(at('a'))).toBe(at('a', '10'));
    expect(await bundleFolder(at('b'))).toBe(at('b', '1'));
  });

  it('is the version that the file beside them names, and no other', async () => {
    const write = (text: string): Promise<void> => writeFile(at('a', 'current'), text);
    await write('9\n');
    expect(await bundleFolder(at('a'))).toBe(at('a', '9'));
    expect(await bundleFolder(at('a', '2'))).toBe(at('a', '2'));
    for (const wrong of ['11', 'old', '', '../b/1', '09']) {
      await write(wrong);
      await expect(bundleFolder(at('a'))).rejects.toMatchObject({
        code: 'bundle',
        path: at('a', 'current'),
        message: `expected a version out of 2, 9, 10, got ${JSON.stringify(wrong)}`,
      });
    }
    await rm(at('a', 'current'));
    await mkdir(at('a', 'current'));
    await expect(bundleFolder(at('a'))).rejects.toMatchObject({ code: 'bundle', path: at('a', 'current') });
    await rm(at('a', 'current'), { recursive: true });
    expect(await bundleFolder(at('a'))).toBe(at('a', '10'));
  });

  it.each(['a/3', 'a/11'])('lists the versions that there are instead of %s', async (path) => {
    await expect(bundleFolder(at(path))).rejects.toMatchObject({
      code: 'bundle',
      path: at('a'),
      message: expect.stringContaining('expected a version out of 2, 9, 10, got '),
    });
  });

  it('lists the bundles of a repository', async () => {
    await expect(bundleFolder(root)).rejects.toMatchObject({
      code: 'bundle',
      hint: `Give the folder of one: ${at('a')}, ${at('b')}.`,
    });
  });

  it.each(['absent', 'absent/1', 'c', 'c/3'])('leaves %s to whoever reads it', async (path) => {
    expect(await bundleFolder(at(path))).toBe(at(path));
  });
});
