import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFile } from './create-file.ts';

let links: string | undefined;
vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof import('node:fs/promises')>();
  return {
    ...files,
    link: async (from: string, to: string) => {
      if (links === undefined) return files.link(from, to);
      throw Object.assign(new Error(`${links}: link`), { code: links, syscall: 'link' });
    },
  };
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-create-'));
});
afterEach(() => rm(folder, { recursive: true }));

it.each([undefined, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EACCES', 'EXDEV'])(
  'one of many makes a file, whether links to files are there or refused (%s)',
  async (code) => {
    links = code;
    const path = join(folder, 'claim.json');
    const made = await Promise.all(Array.from({ length: 8 }, (_, i) => createFile(path, `text ${i}`)));
    expect(made.filter((each) => each)).toHaveLength(1);
    expect(await readFile(path, 'utf8')).toBe(`text ${made.indexOf(true)}`);
    expect(await readdir(folder)).toEqual(['claim.json']);
  },
);

it('a disk that refuses the link for want of room is said so, and leaves nothing', async () => {
  links = 'ENOSPC';
  await expect(createFile(join(folder, 'claim.json'), '')).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining('the disk is full'),
  });
  expect(await readdir(folder)).toEqual([]);
});
