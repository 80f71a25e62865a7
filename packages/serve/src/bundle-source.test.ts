import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '@fuzzqe/core/bundle';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderSource } from './index.ts';

describe('folderSource', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-folder-'));
    await mkdir(join(folder, 'models/fp32'), { recursive: true });
    await writeFile(join(folder, 'models/fp32/weights.bin'), 'weights');
    await writeFile(join(folder, 'manifest.json'), '{}');
    await writeFile(join(folder, '.hidden'), '');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('reads, measures and lists files by their path in the bundle', async () => {
    const source = folderSource(folder);
    const bytes = new TextEncoder().encode('weights');
    expect(Array.from(await source.read('models/fp32/weights.bin'))).toEqual(Array.from(bytes));
    expect(await source.measure!('models/fp32/weights.bin')).toEqual({
      bytes: 7,
      sha256: await sha256Hex(bytes),
    });
    expect(await source.list!()).toEqual(['manifest.json', 'models/fp32/weights.bin']);
  });

  it('names a file that is missing', async () => {
    await expect(folderSource(folder).read('facts.bin')).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringContaining('facts.bin'),
      hint: expect.stringContaining('incomplete'),
    });
  });

  it('says when the folder is missing, is a file, or is no bundle', async () => {
    const read = (directory: string): Promise<unknown> => folderSource(directory).read('manifest.json');
    await expect(read(join(folder, 'absent'))).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringContaining('got nothing'),
      path: join(folder, 'absent'),
    });
    await expect(read(join(folder, 'manifest.json'))).rejects.toMatchObject({
      message: expect.stringContaining('got a file'),
    });
    await expect(read(join(folder, 'models'))).rejects.toMatchObject({
      hint: expect.stringContaining('not a bundle'),
    });
  });

  it('refuses a path that leads out of the bundle', async () => {
    for (const path of ['../secret', 'models/../../secret', '..']) {
      await expect(async () => folderSource(folder).read(path)).rejects.toMatchObject({ code: 'bundle' });
    }
  });

  it('reads no device, no pipe and no more than it may', async () => {
    const odd = await mkdtemp(join(tmpdir(), 'fuzzqe-odd-'));
    await symlink('/dev/zero', join(odd, 'facts.bin'));
    execFileSync('mkfifo', [join(odd, 'partitions.bin')]);
    await writeFile(join(odd, 'long'), 'weights');
    const source = folderSource(odd);
    for (const path of ['facts.bin', 'partitions.bin'])
      for (const look of [source.read(path, 12), source.measure!(path, 12), source.read(path)])
        await expect(look).rejects.toMatchObject({
          code: 'bundle',
          message: 'expected a file, got a device or a pipe',
        });
    await expect(source.read('long', 6)).rejects.toMatchObject({ message: /at most 6 bytes, got 7/ });
    expect(await source.measure!('long', 6)).toMatchObject({ bytes: 7 });
    expect(await source.read('long', 7)).toHaveLength(7);
    await rm(odd, { recursive: true });
  });

  it('says when what should be a file is none', async () => {
    await expect(folderSource(folder).read('models')).rejects.toMatchObject({
      code: 'bundle',
      path: join(folder, 'models'),
    });
  });
});
