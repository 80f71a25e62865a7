import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inScratchFolder, writeFolderWhole, writeNewFile } from '../index.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-scratch-'));
});
afterEach(() => rm(root, { recursive: true }));

const target = (): string => join(root, 'target');
const fill = async (scratch: string): Promise<string> => {
  await mkdir(join(scratch, 'inside'));
  await writeFile(join(scratch, 'inside', 'file'), '');
  return dirname(scratch);
};

describe('a scratch folder', () => {
  it('lies beside the folder that it is for, which can be filled meanwhile, and goes when the work is done', async () => {
    const given = await inScratchFolder(target(), async (scratch) => {
      const expectReplaceable = async (): Promise<void> => {};
      await writeFolderWhole({ path: target(), expectReplaceable }, async (temporary) => {
        await writeNewFile(join(temporary, 'file'), 'text');
      });
      return fill(scratch);
    });
    expect(given).toBe(root);
    expect(await readdir(root)).toEqual(['target']);
  });

  it('goes when the work fails, with the folders that were made for it', async () => {
    const work = async (scratch: string): Promise<void> => {
      await fill(scratch);
      throw new Error('not today');
    };
    await expect(inScratchFolder(join(root, 'a', 'b', 'target'), work)).rejects.toThrow('not today');
    expect(await readdir(root)).toEqual([]);
  });

  it('of a process that was killed goes before the next work there, and nothing else', async () => {
    const left = '.target.scratch-01234567-89ab-cdef-0123-456789abcdef';
    const others = ['.other.scratch-01234567-89ab-cdef-0123-456789abcdef', '.target.scratch-mine'];
    for (const name of [left, ...others]) await mkdir(join(root, name));
    await fill(join(root, left));
    await inScratchFolder(target(), async () => {
      expect(await readdir(root)).not.toContain(left);
    });
    expect((await readdir(root)).sort()).toEqual(others);
  });

  it('is there for one at a time', async () => {
    await inScratchFolder(target(), async (scratch) => {
      await expect(inScratchFolder(target(), fill)).rejects.toMatchObject({
        code: 'runtime',
        path: target(),
      });
      expect(await readdir(scratch)).toEqual([]);
      await inScratchFolder(join(root, 'other'), fill);
    });
    expect(await readdir(root)).toEqual([]);
  });

  it('is refused where nothing can be made', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(inScratchFolder(join(root, 'file', 'target'), fill)).rejects.toMatchObject({
      code: 'storage',
    });
  });
});
