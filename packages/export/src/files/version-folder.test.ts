import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exportBundle } from '../bundle/export-bundle.ts';
import { sampleExport } from '../testing/sample.ts';
import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import { inVersionFolder } from './version-folder.ts';

const fillWith =
  (text: string) =>
  async (folder: string): Promise<string> => {
    await writeFile(join(folder, 'file'), text);
    return folder;
  };

it('counts versions from 1, past what is there, whole or not', () =>
  inTemporaryFolder(async (repository) => {
    const place = { repository, name: 'model' };
    expect(await inVersionFolder(place, fillWith('a'))).toBe(join(repository, 'model', '1'));
    await mkdir(join(repository, 'model', '9'));
    await mkdir(join(repository, 'model', '.20.new-1'));
    expect(await inVersionFolder(place, fillWith('b'))).toBe(join(repository, 'model', '10'));
    expect(await inVersionFolder({ ...place, version: 4 }, fillWith('c'))).toBe(
      join(repository, 'model', '4'),
    );
    expect(await inVersionFolder({ ...place, name: 'other' }, fillWith('d'))).toBe(
      join(repository, 'other', '1'),
    );
  }));

it('gives exports at the same time different versions', () =>
  inTemporaryFolder(async (repository) => {
    const folders = await Promise.all(
      Array.from({ length: 5 }, (_, i) => inVersionFolder({ repository, name: 'model' }, fillWith(`${i}`))),
    );
    expect(new Set(folders).size).toBe(5);
    expect((await readdir(join(repository, 'model'))).sort()).toEqual(['1', '2', '3', '4', '5']);
  }));

it('never replaces a version, and says which is the next', () =>
  inTemporaryFolder(async (repository) => {
    const place = { repository, name: 'model', version: 3 };
    await inVersionFolder(place, fillWith('first'));
    await expect(inVersionFolder(place, fillWith('second'))).rejects.toMatchObject({
      code: 'usage',
      path: join(repository, 'model', '3'),
      hint: 'Leave the version out for the next one, which is 4.',
    });
  }));

it('leaves a bundle alone that stands where versions would', () =>
  inTemporaryFolder(async (repository) => {
    await mkdir(join(repository, 'model'));
    await writeFile(join(repository, 'model', 'manifest.json'), '{}');
    await expect(inVersionFolder({ repository, name: 'model' }, fillWith('a'))).rejects.toMatchObject({
      code: 'usage',
      path: join(repository, 'model'),
      message: expect.stringContaining('expected a folder of versions, got a bundle'),
    });
    expect(await readdir(join(repository, 'model'))).toEqual(['manifest.json']);
  }));

it('takes a version back when nothing was written, so that it can be written later', () =>
  inTemporaryFolder(async (repository) => {
    const place = { repository, name: 'model', version: 1 };
    const fails = inVersionFolder(place, async () => {
      throw new Error('stopped');
    });
    await expect(fails).rejects.toThrow('stopped');
    expect(await readdir(join(repository, 'model'))).toEqual([]);
    await inVersionFolder(place, (directory) => exportBundle({ ...sampleExport(), directory }));
    expect(await readdir(join(repository, 'model'))).toEqual(['1']);
    expect(await readdir(join(repository, 'model', '1'))).toContain('manifest.json');
  }));

it.each([
  ['', 1],
  ['.hidden', 1],
  ['a/b', 1],
  ['..', 1],
  ['c:', 1],
  ['model', 0],
  ['model', 1.5],
])('refuses the name %j with version %d', (name, version) =>
  inTemporaryFolder(async (repository) => {
    await expect(inVersionFolder({ repository, name, version }, fillWith('x'))).rejects.toMatchObject({
      code: 'usage',
    });
    expect(await readdir(repository)).toEqual([]);
  }),
);
