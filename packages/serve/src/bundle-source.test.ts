import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeFacts, sha256Hex } from '@fuzzqe/bundle';
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
    execFileSync('mkfifo', [join(odd, 'evidence.json')]);
    await writeFile(join(odd, 'long'), 'weights');
    const source = folderSource(odd);
    for (const path of ['facts.bin', 'evidence.json'])
      for (const look of [
        () => source.read(path, 12),
        () => source.measure!(path, 12),
        () => source.read(path),
      ])
        await expect(look()).rejects.toMatchObject({
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

  // Seconds and 5 GB of memory: FUZZQE_LARGE_FILES=1 npx vitest run bundle-source.
  it.runIf(process.env['FUZZQE_LARGE_FILES'] === '1')(
    'reads back facts of more than 2³¹ bytes',
    { timeout: 600_000 },
    async () => {
      const [count, path] = [180 * 2 ** 20, join(folder, 'facts.bin')];
      const end = new Uint8Array(Int32Array.of(1, 2, 3).buffer);
      const file = await open(path, 'w');
      await file.write(end, 0, 12, 12 * (count - 1));
      await file.close();
      const bytes = await folderSource(folder).read('facts.bin');
      await rm(path);
      expect(bytes.length).toBe(12 * count);
      expect(bytes.subarray(-12)).toEqual(end);
      // Facts in ascending order in the place of the zeros: a relation of 180 heads with 2²⁰ tails each.
      const facts = new Int32Array(bytes.buffer);
      for (let i = 0; i < count; i += 1) {
        facts[3 * i] = i >>> 20;
        facts[3 * i + 1] = 0;
        facts[3 * i + 2] = i & 0xfffff;
      }
      const triples = decodeFacts(bytes, { entities: 2 ** 20, relations: 2 });
      expect([triples.length, ...triples.subarray(-3)]).toEqual([3 * count, 179, 0, 2 ** 20 - 1]);
    },
  );
});
