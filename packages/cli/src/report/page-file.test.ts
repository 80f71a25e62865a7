import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pageFile } from './page-file.ts';

let folder: string;
const at = (...parts: readonly string[]): string => join(folder, ...parts);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-page-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the file of a page', () => {
  it('is new or replaced, and untouched until the page is there', async () => {
    await writeFile(at('old.html'), 'old');
    const writes = [await pageFile(at('new.html'), '--out'), await pageFile(at('old.html'), '--out')];
    expect(await readdir(folder)).toEqual(['old.html']);
    expect(await readFile(at('old.html'), 'utf8')).toBe('old');
    for (const write of writes) await write('page');
    expect(await readdir(folder)).toEqual(['new.html', 'old.html']);
    for (const name of await readdir(folder)) expect(await readFile(at(name), 'utf8')).toBe('page');
  });

  it('is what a link points to', async () => {
    await mkdir(at('pages'));
    await writeFile(at('pages', 'page.html'), 'old');
    await symlink(join('pages', 'page.html'), at('link.html'));
    await (await pageFile(at('link.html'), '--out'))('page');
    expect((await lstat(at('link.html'))).isSymbolicLink()).toBe(true);
    expect(await readFile(at('pages', 'page.html'), 'utf8')).toBe('page');
    expect(await readdir(at('pages'))).toEqual(['page.html']);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['a folder', ['.'], /--out: cannot be written: a folder is in the way \(EISDIR\)/],
    ['the name of a folder', ['new', '/'], /--out: expected a file, got the name of a folder/],
    ['in a folder that is not there', ['no', 'page.html'], /--out: .*the folder is not there \(ENOENT\)/],
    ['below a file', ['file', 'page.html'], /--out: .*a file is in the way of a folder \(ENOTDIR\)/],
  ])('is refused where it is %s', async (_, parts, message) => {
    await writeFile(at('file'), '');
    await expect(pageFile(at(...parts), '--out')).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringMatching(message),
    });
    expect(await readdir(folder)).toEqual(['file']);
  });

  // A superuser may write everywhere but where the system has none made.
  it.runIf(process.platform === 'linux')('is refused where nothing can be written', async () => {
    await mkdir(at('closed'));
    await chmod(at('closed'), 0o500);
    const place = process.getuid?.() === 0 ? '/proc/page.html' : at('closed', 'page.html');
    await expect(pageFile(place, '--out')).rejects.toMatchObject({ code: 'storage' });
  });

  it.skipIf(process.platform === 'win32')('may be a pipe, which stays one', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const read = readFile(at('pipe'), 'utf8');
    const write = await pageFile(at('pipe'), '--html');
    await write('page');
    expect(await read).toBe('page');
    expect((await lstat(at('pipe'))).isFIFO()).toBe(true);
  });
});
