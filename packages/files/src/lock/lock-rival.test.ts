import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { takeLock } from '../index.ts';

/** What happens just before a file gets its name, and whether the next look at a folder after that fails. */
let beforeLink: () => Promise<void> = async () => {};
let failsToList = false;
vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof import('node:fs/promises')>();
  return {
    ...files,
    link: async (from: string, to: string) => {
      await beforeLink();
      await files.link(from, to);
    },
    readdir: async (path: string) => {
      if (failsToList) throw Object.assign(new Error('EIO: scandir'), { code: 'EIO', syscall: 'scandir' });
      return files.readdir(path);
    },
  };
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-rival-'));
});
afterEach(async () => {
  beforeLink = async () => {};
  failsToList = false;
  await rm(folder, { recursive: true });
});

it('who looked before another process took a lock of a higher number gives its own up again', async () => {
  beforeLink = () =>
    writeFile(
      join(folder, 'lock-2.json'),
      JSON.stringify({ pid: 7, host: 'elsewhere', started: new Date().toISOString(), token: 'theirs' }),
    );
  await expect(takeLock({ folder, what: 'the run' })).rejects.toMatchObject({
    code: 'runtime',
    message: expect.stringContaining('elsewhere'),
  });
  expect(await readdir(folder)).toEqual(['lock-2.json']);
});

it('who cannot look for others after it took a lock leaves none', async () => {
  beforeLink = async () => {
    failsToList = true;
  };
  await expect(takeLock({ folder, what: 'the run' })).rejects.toMatchObject({ code: 'EIO' });
  failsToList = false;
  expect(await readdir(folder)).toEqual([]);
});
