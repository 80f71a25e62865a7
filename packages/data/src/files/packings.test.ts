import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importDataset, importPath, peekPath } from '../index.ts';
import { packedTexts } from '../testing/packed-files.ts';
import { writeZip } from '../testing/write-zip.ts';
import { forEachLine } from './lines.ts';
import { readBytes } from './read-bytes.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-packed-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function textOf(path: string): Promise<string> {
  let text = '';
  await forEachLine(path, (line) => {
    text += `${line}\n`;
  });
  return text;
}

const { text, more, bz2, zst } = packedTexts;
const kinds = [
  ['gz', 'gzip', gzipSync(text), gzipSync(more), gzipSync('\n'.repeat(80 * 2 ** 20))],
  ['bz2', 'bzip2', bz2.text, bz2.more, bz2.bomb],
  ['zst', 'Zstandard', zst.text, zst.more, zst.bomb],
] as const;

describe.each(kinds)('a file that ends in .%s', (ending, name, packed, next, bomb) => {
  it('is read as the text that was packed, several of them as one, and an empty one as no text', async () => {
    expect(await textOf(await file(`one.tsv.${ending}`, packed))).toBe(text);
    expect(await textOf(await file(`LOUD.tsv.${ending.toUpperCase()}`, packed))).toBe(text);
    expect(await textOf(await file(`two.tsv.${ending}`, Buffer.concat([packed, next])))).toBe(text + more);
    const many = Buffer.concat(Array.from({ length: 3000 }, () => packed));
    expect(await textOf(await file(`many.tsv.${ending}`, many))).toBe(text.repeat(3000));
    expect(await textOf(await file(`none.tsv.${ending}`, ''))).toBe('');
  });

  it('tells how far it was read', async () => {
    let read = 0;
    const path = await file(`told.tsv.${ending}`, packed);
    await readBytes(
      path,
      () => {},
      (bytes) => {
        read += bytes;
      },
    );
    expect(read).toBe(packed.length);
  });

  it('is refused wherever it is cut off', async () => {
    for (let length = 5; length < packed.length; length++) {
      const path = await file(`cut.tsv.${ending}`, packed.subarray(0, length));
      await expect(textOf(path), `${length} bytes`).rejects.toMatchObject({
        ...{ code: 'data', path },
        message: expect.stringMatching(
          new RegExp(`^${name}: expected a whole ${name} file, got one that is (?:cut short|damaged)$`),
        ),
      });
    }
  });

  it('is refused where a bit of what was packed is another', async () => {
    const last = packed.length - 1;
    for (const at of [last, last - 2, Math.floor(packed.length / 2)]) {
      const damaged = Buffer.from(packed);
      damaged[at]! ^= ending === 'bz2' && at === last ? 0x40 : 0x01;
      const path = await file(`damaged.tsv.${ending}`, damaged);
      await expect(textOf(path), `byte ${at}`).rejects.toMatchObject({
        ...{ code: 'data', path },
        message: expect.stringContaining(`${name}: expected a whole ${name} file`),
      });
    }
  });

  it('is refused where something else follows', async () => {
    const path = await file(`more.tsv.${ending}`, Buffer.concat([packed, Buffer.from('more')]));
    await expect(textOf(path)).rejects.toMatchObject({ code: 'data', path });
  });

  it('is refused where a few bytes become more than 64 MiB', async () => {
    const path = await file(`bomb.tsv.${ending}`, bomb);
    await expect(readBytes(path, () => {})).rejects.toMatchObject({
      code: 'data',
      path,
      message: `${name}: expected at most 67108864 bytes of a file of ${bomb.length}, got more`,
      hint: expect.stringContaining('FUZZQE_MAX_EXPANSION'),
    });
  }, 60_000);

  it('is told from a plain file, and told where its ending is another', async () => {
    await expect(textOf(await file(`plain.tsv.${ending}`, text))).rejects.toMatchObject({
      message: `${name}: expected a ${name} file, got one that does not begin as such`,
    });
    await expect(textOf(await file(`${ending}.tsv`, packed))).rejects.toMatchObject({
      message: `text: expected UTF-8, got ${name}`,
      hint: expect.stringContaining(`end in .${ending},`),
    });
  });

  it('is imported in the form that the ending before it tells', async () => {
    const { dataset } = await importDataset({
      ...{ name: 'x', train: await file(`graph.tsv.${ending}`, packed) },
      holdOut: 0,
    });
    expect(dataset.train.length / 3).toBe(2);
  });
});

describe('a zip archive', () => {
  const graph = new Map([['graph.tsv', text]]);
  const umls = new Map<string, string | Uint8Array>([
    ['umls/', ''],
    ['umls/train.tsv', text],
    ['umls/valid.tsv', 'a\tr\tc\n'],
    ['umls/test.tsv.gz', gzipSync('c\tr\ta\n')],
    ['__MACOSX/umls/train.tsv', 'shadow'],
    ['umls/.DS_Store', 'shadow'],
  ]);

  it.each(['deflated', 'stored'] as const)('of one file is read as that file, %s', async (method) => {
    const path = await file('graph.zip', writeZip(graph, method));
    expect(await textOf(path)).toBe(text);
    expect(await textOf(`${path}/graph.tsv`)).toBe(text);
    const { dataset } = await importPath(path, { name: 'x', holdOut: 0 });
    expect(dataset.origin?.format).toBe('tsv');
    const plain = await file('graph.tsv.zip', writeZip(new Map([['data', text]]), method));
    expect((await importPath(plain, { name: 'x', holdOut: 0 })).dataset.train.length / 3).toBe(2);
  });

  it('of a folder is read as the folder', async () => {
    const path = await file('umls.zip', writeZip(umls));
    const { dataset, notes } = await importPath(path, { name: 'x' });
    expect([dataset.train, dataset.valid, dataset.test].map(({ length }) => length / 3)).toEqual([2, 1, 1]);
    expect(notes).toEqual([]);
    expect((await peekPath(`${path}/umls`)).map(({ facts }) => facts)).toEqual([2, 1, 1]);
  });

  it('of several folders or files asks which', async () => {
    const two = new Map([...umls, ['raw/train.tsv', text]]);
    const path = await file('two.zip', writeZip(two));
    await expect(importPath(path, { name: 'x' })).rejects.toMatchObject({
      message: `archive: expected one train.tsv, got ${path}/umls/train.tsv and ${path}/raw/train.tsv`,
      hint: `Give one of its folders, as in ${path}/umls.`,
    });
    await expect(textOf(path)).rejects.toMatchObject({
      message: expect.stringMatching(/^zip: expected one file, got 4: umls\/train\.tsv, /),
      hint: `Give one of them, as in ${path}/umls/train.tsv.`,
    });
    await expect(textOf(`${path}/raw/test.tsv`)).rejects.toThrow(
      'expected one file at "raw/test.tsv", got none',
    );
  });

  it('tells a line of a file in it', async () => {
    const path = await file('wrong.zip', writeZip(new Map([['a.tsv', 'a\tr\tb\na\tb\n']])));
    await expect(importPath(path, { name: 'x' })).rejects.toMatchObject({ path: `${path}/a.tsv:2` });
  });

  it('is refused where it is cut off, or a byte of a file is another', async () => {
    const whole = writeZip(graph, 'stored');
    for (const length of [0, 10, 60, whole.length - 1]) {
      const path = await file('cut.zip', whole.subarray(0, length));
      await expect(textOf(path), `${length} bytes`).rejects.toMatchObject({
        ...{ code: 'data', path },
        message: expect.stringContaining('zip: expected a whole zip archive'),
      });
    }
    const damaged = Buffer.from(whole);
    damaged[damaged.indexOf('a\tr')] = 0x78;
    await expect(textOf(await file('damaged.zip', damaged))).rejects.toThrow('expected the CRC-32');
  });

  it('is refused where a file in it becomes more than 64 MiB', async () => {
    const path = await file('bomb.zip', writeZip(new Map([['a.tsv', '\n'.repeat(80 * 2 ** 20)]])));
    await expect(readBytes(path, () => {})).rejects.toThrow('zip: expected at most 67108864 bytes');
  }, 60_000);

  it('is told where its ending is another', async () => {
    await expect(textOf(await file('zip.tsv', writeZip(graph)))).rejects.toMatchObject({
      message: 'text: expected UTF-8, got a zip archive',
      hint: expect.stringContaining('end in .zip'),
    });
  });
});
