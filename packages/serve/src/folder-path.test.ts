import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { folderPath } from './folder-path.ts';
import { bundleFolder, folderSource } from './index.ts';

it.each([undefined, null, '', 5, {}])('%j is no path of a bundle', async (path) => {
  const error = {
    code: 'usage',
    path: '$.directory',
    message: expect.stringContaining('expected the path of a bundle'),
  };
  expect(() => folderPath(path)).toThrow(expect.objectContaining(error));
  // Callers without types can ask so.
  expect(() => folderSource(path as string)).toThrow(expect.objectContaining(error));
  await expect(bundleFolder(path as string)).rejects.toMatchObject(error);
});

it('is whole', () => {
  expect(folderPath('bundle')).toBe(resolve('bundle'));
});
