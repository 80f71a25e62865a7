import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFile, hasHardLinks } from './create-file.ts';

let links: string | undefined;
let renames: string | undefined;
let removes: string | undefined;
vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof import('node:fs/promises')>();
  return {
    ...files,
    link: async (from: string, to: string) => {
      if (links === undefined) return files.link(from, to);
      throw Object.assign(new Error(`${links}: link`), { code: links, syscall: 'link' });
    },
    rename: async (from: string, to: string) => {
      if (renames === undefined) return files.rename(from, to);
      throw Object.assign(new Error(`${renames}: rename`), { code: renames, syscall: 'rename' });
    },
    rm: async (path: string, options: object) => {
      if (removes === undefined || !path.endsWith('.json')) return files.rm(path, options);
      throw Object.assign(new Error(`${removes}: rm`), { code: removes, syscall: 'rm' });
    },
  };
});

let folder: string;
beforeEach(async () => {
  [links, renames, removes] = [undefined, undefined, undefined];
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

it('a file that cannot take the place of its empty one leaves none, or says that there is one', async () => {
  [links, renames] = ['EPERM', 'EIO'];
  const path = join(folder, 'claim.json');
  await expect(createFile(path, 'text')).rejects.toMatchObject({
    hint: expect.stringContaining('nothing was changed'),
  });
  expect(await readdir(folder)).toEqual([]);
  removes = 'EIO';
  await expect(createFile(path, 'text')).rejects.toMatchObject({
    hint: expect.stringContaining('an empty file has its name'),
  });
  expect(await readdir(folder)).toEqual(['claim.json']);
});

/** An empty file, as a process leaves it that is killed before it writes, so many seconds ago. */
async function left(path: string, seconds: number): Promise<string> {
  await writeFile(path, '');
  const then = Date.now() / 1000 - seconds;
  await utimes(path, then, then);
  return path;
}

describe.each([undefined, 'EPERM'])('an empty file (links: %s)', (code) => {
  beforeEach(() => {
    links = code;
  });

  const replace = (path: string, text = 'text'): Promise<boolean> =>
    createFile(path, text, { replacesEmpty: true });

  it('is left as it is where nobody asked for its replacement, as two could both be told they made it', async () => {
    const path = await left(join(folder, 'claim.json'), 1000);
    expect(await createFile(path, 'text')).toBe(false);
    expect(await readFile(path, 'utf8')).toBe('');
    expect(await readdir(folder)).toEqual(['claim.json']);
  });

  it('that a killed process left is replaced, by one of many', async () => {
    const path = await left(join(folder, 'result.json'), 90);
    const made = await Promise.all(Array.from({ length: 16 }, (_, i) => replace(path, `text ${i}`)));
    expect(made.filter((each) => each)).toHaveLength(1);
    expect(await readFile(path, 'utf8')).toBe(`text ${made.indexOf(true)}`);
    expect(await readdir(folder)).toEqual(['result.json']);
  });

  it('that was just made is left to its maker, and one with a text to whom it is of', async () => {
    const path = await left(join(folder, 'result.json'), 30);
    expect(await replace(path)).toBe(false);
    await writeFile(path, 'x');
    await utimes(path, 1, 1);
    expect(await replace(path)).toBe(false);
    expect(await readFile(path, 'utf8')).toBe('x');
    expect(await readdir(folder)).toEqual(['result.json']);
  });

  it('is replaced also where whoever replaced it was killed in turn, and not while one does', async () => {
    const path = await left(join(folder, 'result.json'), 300);
    await left(`${path}.replaced-1`, 200);
    await left(`${path}.replaced-2`, 30);
    expect(await replace(path)).toBe(false);
    await left(`${path}.replaced-2`, 100);
    expect(await replace(path)).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('text');
    expect(await readdir(folder)).toEqual(['result.json']);
  });
});

it.each([undefined, 'EPERM'])(
  'a folder says whether it has links (%s), and nothing is left there',
  async (code) => {
    links = code;
    expect(await hasHardLinks(folder)).toBe(code === undefined);
    expect(await hasHardLinks(join(folder, 'none'))).toBe(false);
    expect(await readdir(folder)).toEqual([]);
  },
);
