import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  expectNewFolder,
  hashDataset,
  holdsDataset,
  loadCountries,
  readDataset,
  writeDataset,
} from '../index.ts';

const countries = loadCountries();
let parent = '';
let folder = '';
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'fuzzqe-folder-'));
  folder = join(parent, 'countries');
});
afterEach(() => rm(parent, { recursive: true }));

/** Changes one file of the folder. */
async function edit(name: string, change: (text: string) => string): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, change(await readFile(path, 'utf8')));
}

const withoutHash = (text: string): string => text.replace(/,\s*"sha256": "[^"]*"/, '');

describe('a dataset folder', () => {
  it('gives back the dataset that was written', async () => {
    await writeDataset(folder, countries);
    const back = await readDataset(folder);
    expect(back).toMatchObject({
      name: 'countries',
      licence: 'ODbL-1.0',
      description: countries.description,
    });
    expect([back.train, back.valid, back.test]).toEqual([countries.train, countries.valid, countries.test]);
    for (let id = 0; id < back.vocabulary.entityCount; id++) {
      expect(back.vocabulary.entity(id)).toEqual(countries.vocabulary.entity(id));
    }
    expect(back.vocabulary.relation(0)).toEqual(countries.vocabulary.relation(0));
    expect(hashDataset(back)).toBe(hashDataset(countries));
  });

  it('has the same bytes each time, and nothing beside it', async () => {
    await writeDataset(folder, countries);
    await writeDataset(join(parent, 'again'), countries);
    expect(await readdir(parent)).toEqual(['again', 'countries']);
    const names = await readdir(folder);
    expect(names).toEqual([
      'aliases.tsv',
      'dataset.json',
      'entities.tsv',
      'relations.tsv',
      'test.tsv',
      'train.tsv',
      'valid.tsv',
    ]);
    for (const name of names) {
      expect(await readFile(join(parent, 'again', name))).toEqual(await readFile(join(folder, name)));
    }
  });

  it('may have its triples zipped', async () => {
    await writeDataset(folder, countries);
    const train = await readFile(join(folder, 'train.tsv'));
    await writeFile(join(folder, 'train.tsv.gz'), gzipSync(train));
    await rm(join(folder, 'train.tsv'));
    expect((await readDataset(folder)).train).toEqual(countries.train);
  });

  it('keeps rejected links, which its hash names', async () => {
    const rejected = Int32Array.of(0, 0, 1, 0, 2, 5, 7, 0, 9);
    const judged = { ...countries, rejected };
    await writeDataset(folder, judged);
    expect(await readFile(join(folder, 'rejected.tsv'), 'utf8')).toBe('0\t0\t1\n0\t2\t5\n7\t0\t9\n');
    const back = await readDataset(folder);
    expect(back.rejected).toEqual(rejected);
    expect(hashDataset(back)).toBe(hashDataset(judged));
    expect(hashDataset(back)).not.toBe(hashDataset(countries));
    expect(hashDataset({ ...countries, rejected: new Int32Array() })).toBe(hashDataset(countries));
    expect([await holdsDataset(folder, judged), await holdsDataset(folder, countries)]).toEqual([
      true,
      false,
    ]);
    // Along an inverse, and twice.
    await edit('rejected.tsv', () => '7\t0\t9\n5\t3\t0\n0\t0\t1\n7\t0\t9\n');
    expect((await readDataset(folder)).rejected).toEqual(rejected);
    await edit('rejected.tsv', () => '0\t0\t1\n');
    await expect(readDataset(folder)).rejects.toThrow('hash');
    await edit('dataset.json', withoutHash);
    const [head, relation, tail] = countries.test;
    await edit('rejected.tsv', () => `0\t0\t1\n${head}\t${relation}\t${tail}\n`);
    await expect(readDataset(folder)).rejects.toMatchObject({
      code: 'data',
      path: join(folder, 'rejected.tsv'),
      message: expect.stringContaining(countries.vocabulary.entity(tail!).key),
    });
  });

  it('may be written by hand, with training facts alone', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'dataset.json'), '{"format": 1, "name": "mine"}');
    await writeFile(join(folder, 'entities.tsv'), '0\ta\tA\n1\tb\tB\r\n');
    await writeFile(join(folder, 'relations.tsv'), '0\tr\tR');
    await writeFile(join(folder, 'train.tsv'), '0\t0\t1\n1\t1\t0\n');
    const dataset = await readDataset(folder);
    expect(dataset).toMatchObject({ name: 'mine', licence: 'unknown' });
    expect([...dataset.train]).toEqual([0, 0, 1]);
    expect(dataset.valid).toHaveLength(0);
  });

  it('is not written over', async () => {
    await writeDataset(folder, countries);
    await expect(writeDataset(folder, countries)).rejects.toMatchObject({ code: 'usage', path: folder });
  });

  it('does not take the place of the current folder where the path is empty', async () => {
    await writeFile(join(parent, 'mine.txt'), 'mine');
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(parent);
    try {
      await expect(writeDataset('', countries)).rejects.toMatchObject({ code: 'usage' });
      await expect(expectNewFolder('')).rejects.toMatchObject({ code: 'usage' });
    } finally {
      cwd.mockRestore();
    }
    expect(await readdir(parent)).toEqual(['mine.txt']);
  });

  it('is told from every other: another split, another label, another header, nothing, and a damaged one', async () => {
    expect(await holdsDataset(folder, countries)).toBe(false);
    await writeDataset(folder, countries);
    expect(await holdsDataset(folder, countries)).toBe(true);
    expect(await holdsDataset(folder, loadCountries({ seed: 1 }))).toBe(false);
    expect(await holdsDataset(folder, { ...countries, licence: 'other' })).toBe(false);
    const names = await readFile(join(folder, 'entities.tsv'), 'utf8');
    await edit('entities.tsv', (text) => text.replace('\tFrance', '\tFrancia'));
    expect((await readDataset(folder)).name).toBe('countries');
    expect(await holdsDataset(folder, countries)).toBe(false);
    await writeFile(join(folder, 'entities.tsv'), names);
    await edit('train.tsv', (text) => text.slice(text.indexOf('\n') + 1));
    expect(await holdsDataset(folder, countries)).toBe(false);
  });

  it('leaves nothing behind when it cannot be written', async () => {
    const blocked = join(parent, 'file');
    await writeFile(blocked, '');
    await expect(writeDataset(join(blocked, 'x'), countries)).rejects.toMatchObject({ code: 'storage' });
    expect(await readdir(parent)).toEqual(['file']);
  });

  it('lays what is no data set at the door of no disk', async () => {
    const strange = { ...countries, train: { length: 3 } as unknown as Int32Array, vocabulary: undefined };
    // Callers without types can ask so.
    const writing = writeDataset(folder, strange as unknown as typeof countries);
    await expect(writing).rejects.toBeInstanceOf(TypeError);
    expect(await readdir(parent)).toEqual([]);
  });

  it('is refused when its content has changed', async () => {
    await writeDataset(folder, countries);
    await edit('train.tsv', (text) => text.slice(text.indexOf('\n') + 1));
    await expect(readDataset(folder)).rejects.toThrow('hash');
    await edit('dataset.json', withoutHash);
    expect((await readDataset(folder)).train).toHaveLength(countries.train.length - 3);
  });

  it.each([
    ['dataset.json', (): string => '{', 'dataset.json', 'JSON'],
    ['dataset.json', (): string => '{"format": 2, "name": "x"}', 'dataset.json', '$.format'],
    ['dataset.json', (): string => '{"format": 1, "nmae": "x"}', 'dataset.json', 'nmae'],
    ['train.tsv', (): string => '0\t0\t1\n0\t0\t879\n', 'train.tsv:2', '"879"'],
    ['valid.tsv', (): string => '0\t24\t1\n', 'valid.tsv:1', '"24"'],
    ['test.tsv', (): string => '0\t-1\t1\n', 'test.tsv:1', '"-1"'],
    ['test.tsv', (): string => '', 'test.tsv', 'got none'],
    ['rejected.tsv', (): string => '0\t0\t1\n0\t0\t879\n', 'rejected.tsv:2', '"879"'],
    ['rejected.tsv', (): string => '', 'rejected.tsv', 'got none'],
    ['entities.tsv', (text: string): string => text.replace('\n1\t', '\n7\t'), 'entities.tsv:2', 'id'],
    ['relations.tsv', (text: string): string => text.replace('\n2\t', '\n1\t'), 'relations.tsv:2', 'id'],
  ] as const)('is refused with a mistake in %s', async (name, change, path, message) => {
    await writeDataset(folder, { ...countries, rejected: Int32Array.of(0, 0, 1) });
    await edit('dataset.json', withoutHash);
    await edit(name, change);
    await expect(readDataset(folder)).rejects.toMatchObject({
      code: 'data',
      path: join(folder, path),
      message: expect.stringContaining(message),
    });
  });

  it('is refused without its training facts or its header', async () => {
    await writeDataset(folder, countries);
    await rm(join(folder, 'train.tsv'));
    await expect(readDataset(folder)).rejects.toMatchObject({ path: join(folder, 'train.tsv') });
    await expect(readDataset(parent)).rejects.toMatchObject({ path: join(parent, 'dataset.json') });
  });
});
