import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { describeFolderStore } from '../testing/describe-folder-store.ts';
import { folderStore } from './folder-store.ts';
import { openStore } from './open-store.ts';

const read: string[] = [];
vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof import('node:fs/promises')>();
  const readdir = (path: string, options: { withFileTypes: true }) => {
    read.push(path);
    return files.readdir(path, options);
  };
  return { ...files, readdir };
});

const newFolder = describeFolderStore('in a folder', { describe, it, expect, afterAll });

describe('a store in a folder', () => {
  it('is empty where there is no folder yet', async () => {
    const store = folderStore(join(await newFolder(), 'none'));
    expect(await store.list('')).toEqual([]);
    expect(await store.read('a')).toBeUndefined();
  });

  it('reads no folder that no key of a listing can be in', async () => {
    const folder = await newFolder();
    const store = folderStore(folder);
    await store.write('trials/1.json', '');
    await store.write('runs/1/state.json', '');
    read.length = 0;
    expect(await store.list('trials/')).toEqual(['trials/1.json']);
    expect(read).toEqual([join(folder, 'trials')]);
    expect(await store.list('runs/1/st')).toEqual(['runs/1/state.json']);
    expect(await store.list('none/')).toEqual([]);
  });

  it('says what stands in its way', async () => {
    const file = join(await newFolder(), 'file');
    await writeFile(file, '');
    await expect(folderStore(file).write('a', '')).rejects.toMatchObject({ code: 'storage' });
    await expect(folderStore(file).expectExclusive()).rejects.toMatchObject({ code: 'storage' });
  });

  it.each(['http://localhost:9000/bucket', 'gs://bucket'])('is not what %s names', (address) => {
    expect(() => openStore(address)).toThrow(/expected a folder or s3:\/\/bucket\/prefix/);
  });
});
