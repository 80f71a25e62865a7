import { createHash } from 'node:crypto';
import { link, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  copyFileWhole,
  createFile,
  makeFolder,
  openFileWriter,
  putInPlace,
  readFully,
  writeFileWhole,
} from '../index.ts';
import { everyCrash, observe } from '../testing/index.ts';

vi.mock('node:fs/promises', async (original) =>
  (await import('../testing/index.ts')).observedFiles(await original()),
);

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-files-'));
});
afterEach(() => rm(root, { recursive: true }));

const path = (name: string): string => join(root, name);
const oldText = 'what stood there before';
const newText = 'what is written now, which is longer';

/** What is found in a file after every power cut during `write`, and after those when it had returned. */
async function foundAfter(
  write: () => Promise<unknown>,
  name = 'file',
): Promise<{ cut: Set<string>; finished: Set<string> }> {
  const found = { cut: new Set<string>(), finished: new Set<string>() };
  await everyCrash(root, write, async ({ folder, isFinished }) => {
    const text = await readFile(join(folder, name), 'utf8').catch(() => 'nothing');
    found[isFinished ? 'finished' : 'cut'].add(text);
  });
  return found;
}

/** A file is written in its place. */
async function inPlace(): Promise<void> {
  const file = await open(path('file'), 'w');
  await file.writeFile(newText);
  await file.sync();
  await file.close();
}

/** The usual three lines. */
async function withoutFlushing(): Promise<void> {
  await writeFile(path('temporary'), newText);
  await rename(path('temporary'), path('file'));
}

describe('a file that is made where none was', () => {
  it('has its whole content after any power cut, or is not there', async () => {
    const { cut, finished } = await foundAfter(() => createFile(path('file'), newText));
    expect(cut).toEqual(new Set(['nothing', newText]));
    expect(finished).toEqual(new Set(['nothing', newText]));
    // Without a flush before it has its name, it may be there in part.
    const unflushed = await foundAfter(async () => {
      await writeFile(path('temporary'), newText);
      await link(path('temporary'), path('other'));
    }, 'other');
    expect(unflushed.finished.size).toBeGreaterThan(2);
  });
});

describe('a file that is written whole', () => {
  it.each([
    ['written', () => writeFileWhole(path('file'), newText)],
    ['written in parts', () => writeFileWhole(path('file'), [newText.slice(0, 9), newText.slice(9)])],
    [
      'written by a function',
      () => writeFileWhole(path('file'), async (file) => file.write(Buffer.from(newText))),
    ],
    ['copied', () => copyFileWhole(path('source'), path('file'))],
    ['put in its place', () => putInPlace(path('source'), path('file'))],
  ])('is the old or the new after a power cut while it is %s, and the new afterwards', async (_, write) => {
    await writeFile(path('file'), oldText);
    await writeFile(path('source'), newText);
    const { cut, finished } = await foundAfter(write);
    expect([...cut].sort()).toEqual([oldText, newText].sort());
    expect([...finished]).toEqual([newText]);
  });

  it('is found to be neither where it is written in its place, or renamed without being flushed', async () => {
    await writeFile(path('file'), oldText);
    const wrong = await foundAfter(inPlace);
    expect(wrong.cut).toContain('');
    await writeFile(path('file'), oldText);
    const unflushed = await foundAfter(withoutFlushing);
    expect(unflushed.finished).toContain('');
    expect(unflushed.finished).toContain(oldText);
    expect(unflushed.finished).toContain('\0'.repeat(newText.length));
  });

  it.each([
    ['of many bytes a letter', ['€', 'é', 'a', '\u{1d11e}'], 400_000],
    ['longer than a block', ['b', '€'.repeat(600_000), 'c'], 3],
  ])('holds texts %s one after the other', async (_, some, count) => {
    const texts = Array.from({ length: count }, (_, i) => some[i % some.length]!);
    const { bytes, sha256 } = await writeFileWhole(path('file'), texts);
    const expected = Buffer.from(texts.join(''));
    expect(bytes).toBe(expected.length);
    expect(sha256).toBe(createHash('sha256').update(expected).digest('hex'));
    expect(expected.equals(await readFile(path('file')))).toBe(true);
  });

  it('is there for good in folders that were made for it', async () => {
    const deep = join('one', 'two', 'file');
    const write = async (): Promise<void> => {
      await makeFolder(path(join('one', 'two')));
      await writeFileWhole(path(deep), newText);
    };
    const { cut, finished } = await foundAfter(write, deep);
    expect(cut).toEqual(new Set(['nothing', newText]));
    expect([...finished]).toEqual([newText]);
  });

  it.each(['ENOSPC', 'EIO'])(
    'is untouched, with nothing beside it, whichever call ends in %s',
    async (code) => {
      await writeFile(path('file'), oldText);
      const calls = await observe(root, () => writeFileWhole(path('file'), newText));
      const committed = calls.findIndex(({ kind }) => kind === 'rename');
      expect(committed).toBeGreaterThan(1);
      for (let call = 0; call < calls.length; call += 1) {
        await writeFile(path('file'), oldText);
        const failing = observe(root, () => writeFileWhole(path('file'), newText), { call, code });
        await expect(failing, JSON.stringify(calls[call])).rejects.toMatchObject({ path: path('file') });
        // Once it is renamed, only the promise that it lasts is missing.
        expect(await readFile(path('file'), 'utf8')).toBe(call > committed ? newText : oldText);
        expect(await readdir(root)).toEqual(['file']);
      }
    },
  );

  it('is written, hashed and read in pieces of any size', async () => {
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    for (const size of [1, 64, 999, 1000, 5000]) {
      const file = await openFileWriter(path(`${size}`), size);
      await file.write(bytes);
      expect(await file.close()).toEqual({ bytes: 1000, sha256 });
      const target = new Uint8Array(900);
      const hash = createHash('sha256');
      const handle = await open(path(`${size}`), 'r');
      const options = { path: path(`${size}`), size, onPiece: (piece: Uint8Array) => hash.update(piece) };
      await readFully(handle, target, 100, options);
      expect(target).toEqual(bytes.subarray(100));
      expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes.subarray(100)).digest('hex'));
      await expect(readFully(handle, target, 101, { path: options.path, size })).rejects.toMatchObject({
        code: 'data',
      });
      await handle.close();
    }
  });

  it('says how much was written and its SHA-256', async () => {
    expect(await writeFileWhole(path('file'), ['a', 'bc'])).toEqual({
      bytes: 3,
      // FIPS 180-4, the example of one block.
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    });
  });
});
