import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectWritable, hasFolder, makeFolder } from './local-folder.ts';

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fuzzqe-index-folder-'));
});
afterEach(() => rm(scratch, { recursive: true, force: true }));

/** Root may read and write everywhere. */
const isRoot = process.getuid?.() === 0;

describe('the folder of an index', () => {
  it('is looked for without being made', async () => {
    const path = join(scratch, 'a', 'b');
    expect(await hasFolder(path)).toBe(false);
    expect(await readdir(scratch)).toEqual([]);
    await makeFolder(path);
    await makeFolder(path);
    expect(await hasFolder(path)).toBe(true);
    await expect(expectWritable(path)).resolves.toBeUndefined();
  });

  it('is refused by name where a file is in the way, to read and to write', async () => {
    const file = join(scratch, 'file');
    await writeFile(file, '');
    for (const path of [file, join(file, 'below')])
      for (const act of [hasFolder, makeFolder])
        await expect(act(path)).rejects.toMatchObject({ code: 'storage', path });
    await expect(expectWritable(join(scratch, 'gone'))).rejects.toMatchObject({
      code: 'storage',
      message: 'cannot write into the folder of the index: the folder is not there (ENOENT)',
    });
  });

  it.skipIf(isRoot || process.platform === 'win32')(
    'is refused where nothing may be read or written',
    async () => {
      const path = join(scratch, 'closed');
      await mkdir(path);
      await chmod(path, 0o500);
      expect(await hasFolder(path)).toBe(true);
      await expect(expectWritable(path)).rejects.toMatchObject({ code: 'storage' });
      await chmod(path, 0);
      await expect(hasFolder(path)).rejects.toMatchObject({
        code: 'storage',
        message: expect.stringContaining('reading is forbidden'),
      });
      await chmod(path, 0o700);
    },
  );
});
