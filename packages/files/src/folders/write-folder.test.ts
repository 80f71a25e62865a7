import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { copyNew, makeFolder, onDisk, wholeFolder, writeFolderWhole, writeNewFile } from '../index.ts';
import { everyCrash, observe } from '../testing/index.ts';

vi.mock('node:fs/promises', async (original) =>
  (await import('../testing/index.ts')).observedFiles(await original()),
);

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-folder-'));
});
afterEach(() => rm(root, { recursive: true }));

const target = (): string => join(root, 'target');
const everything = async (): Promise<void> => {};

/** Fills it with two files that hold the text, one in a folder inside. */
const write = (text: string): Promise<void> =>
  writeFolderWhole({ path: target(), expectReplaceable: everything }, async (temporary) => {
    await writeNewFile(join(temporary, 'file'), text);
    await makeFolder(join(temporary, 'inside'));
    await writeNewFile(join(temporary, 'inside', 'file'), text);
  });

/** What a reader finds: `old`, `new`, `nothing` or a mixture. */
async function contentOf(folder: string): Promise<string> {
  const whole = await wholeFolder(join(folder, 'target'));
  const names = await readdir(whole).catch(() => undefined);
  if (names === undefined) return 'nothing';
  const read = (...path: string[]): Promise<string> =>
    readFile(join(whole, ...path), 'utf8').catch(() => 'missing');
  const texts = new Set([await read('file'), await read('inside', 'file')]);
  return [...texts].sort().join(' and ');
}

async function foundAfter(
  work: () => Promise<unknown>,
): Promise<{ cut: Set<string>; finished: Set<string> }> {
  const found = { cut: new Set<string>(), finished: new Set<string>() };
  await everyCrash(root, work, async ({ folder, isFinished }) => {
    found[isFinished ? 'finished' : 'cut'].add(await contentOf(folder));
  });
  return found;
}

describe('a folder that is written whole', () => {
  it('is not there or all there after a power cut, and all there afterwards', async () => {
    expect(await foundAfter(() => write('new'))).toEqual({
      cut: new Set(['nothing', 'new']),
      finished: new Set(['new']),
    });
  });

  it('is the old one or the new one after a power cut while it is replaced, and the new one afterwards', async () => {
    await write('old');
    expect(await foundAfter(() => write('new'))).toEqual({
      cut: new Set(['old', 'new']),
      finished: new Set(['new']),
    });
    expect(await readdir(root)).toEqual(['target']);
  });

  it('is the old or the new likewise where it is copied, and not where copies are not flushed', async () => {
    await makeFolder(join(root, 'source', 'inside'));
    for (const file of ['file', 'inside/file']) await writeFile(join(root, 'source', file), 'new');
    const copied = (copy: (from: string, to: string) => Promise<void>) => () =>
      onDisk('folder', target(), () =>
        writeFolderWhole({ path: target(), expectReplaceable: everything }, (temporary) =>
          copy(join(root, 'source'), temporary),
        ),
      );
    await write('old');
    const { cut, finished } = await foundAfter(copied(copyNew));
    expect([[...cut].sort(), [...finished]]).toEqual([['new', 'old'], ['new']]);
    const unflushed = await foundAfter(
      copied(async (_, to) => {
        await writeFile(join(to, 'file'), 'new');
        await makeFolder(join(to, 'inside'));
        await writeFile(join(to, 'inside', 'file'), 'new');
      }),
    );
    expect([...unflushed.finished]).not.toEqual(['new']);
  });

  it('is found to be lost where the old one is removed before the new one lasts', async () => {
    await write('old');
    const found = await foundAfter(async () => {
      await mkdir(join(root, 'temporary'));
      await writeNewFile(join(root, 'temporary', 'file'), 'new');
      await rename(target(), join(root, '.target.old-00000000-0000-0000-0000-000000000000'));
      await rename(join(root, 'temporary'), target());
      await rm(join(root, '.target.old-00000000-0000-0000-0000-000000000000'), { recursive: true });
    });
    expect([...found.cut].some((content) => content.includes('missing'))).toBe(true);
  });

  it.each(['ENOSPC', 'EIO'])('leaves the old one whichever call ends in %s, or the new one', async (code) => {
    await write('old');
    const calls = await observe(root, () => write('new'));
    const committed = calls.findLastIndex(({ kind }) => kind === 'rename');
    for (let call = 0; call < calls.length; call += 1) {
      await rm(target(), { recursive: true });
      await write('old');
      const result = await observe(root, () => write('new'), { call, code }).catch(() => 'refused');
      expect(await contentOf(root), JSON.stringify(calls[call])).toBe(call > committed ? 'new' : 'old');
      if (call < committed) expect(result).toBe('refused');
    }
  });

  it('goes on from what a killed process left, and leaves nothing of it', async () => {
    await write('old');
    const name = (purpose: string): string =>
      join(root, `.target.${purpose}-01234567-89ab-cdef-0123-456789abcdef`);
    await rename(target(), name('old'));
    await mkdir(name('new'));
    await writeFile(join(name('new'), 'file'), 'half');
    await mkdir(join(root, '.target.new-and-mine'));
    expect(await contentOf(root)).toBe('old');
    await expect(
      writeFolderWhole({ path: target(), expectReplaceable: everything }, async () => {
        expect((await readdir(root)).filter((each) => each.includes('old'))).toEqual([]);
        throw new Error('not today');
      }),
    ).rejects.toThrow('not today');
    expect((await readdir(root)).sort()).toEqual(['.target.new-and-mine', 'target']);
    expect(await contentOf(root)).toBe('old');
  });

  it('is written by one at a time', async () => {
    await writeFolderWhole({ path: target(), expectReplaceable: everything }, async () => {
      await expect(write('new')).rejects.toMatchObject({ code: 'runtime', path: target() });
    });
  });
});
