import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findImportFiles, importDataset } from '../index.ts';
import { formatOf } from '../triples/triple-format.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-delimited-import-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string): Promise<string> {
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

async function keysOf(train: string, more: object = {}): Promise<(string | undefined)[]> {
  const { vocabulary } = (await importDataset({ name: 'x', train, ...more })).dataset;
  return [vocabulary.entity(0).key, vocabulary.relation(0).key, vocabulary.entity(1).key];
}

describe('CSV', () => {
  it('may quote names, and name its columns in any order', async () => {
    const facts = '"Paris, Texas",in,"the ""Lone Star"" state"\n';
    const expected = ['Paris, Texas', 'in', 'the "Lone Star" state'];
    expect(await keysOf(await file('a.csv', facts))).toEqual(expected);
    expect(await keysOf(await file('b.csv', `subject,predicate,object\n${facts}`))).toEqual(expected);
    const turned = 'Target,Source,Relation\r\n"the ""Lone Star"" state","Paris, Texas",in\r\n';
    expect(await keysOf(await file('c.csv', turned))).toEqual(expected);
  });

  it('has a header where the user says so, and none where the user says so', async () => {
    const train = await file('d.csv', 'von,Art,nach\na,r,b\n');
    expect(await keysOf(train)).toEqual(['von', 'Art', 'nach']);
    expect(await keysOf(train, { header: 'yes' })).toEqual(['a', 'r', 'b']);
    const titles = await file('e.csv', 'head,relation,tail\na,r,b\n');
    expect(await keysOf(titles, { header: 'no' })).toEqual(['head', 'relation', 'tail']);
  });

  it('is refused with a fix where a name has a comma without quotes', async () => {
    const train = await file('f.csv', 'a,r,b\nParis, Texas,in,USA\n');
    await expect(importDataset({ name: 'x', train })).rejects.toMatchObject({
      path: `${train}:2`,
      message: 'triple: expected three columns between commas, got 4',
      hint: expect.stringContaining('double quotes'),
    });
  });
});

describe('files of names that number their lines', () => {
  const entities = '0\t/m/a\tAlpha\n1\t/m/b\tBeta\n2\t/m/c\tGamma\n';
  const relations = '0\tlikes\n1\tknows\n';

  it('give the ids of facts in numbers, forward relations only or with inverses', async () => {
    const names = { entities: await file('e.tsv', entities), relations: await file('r.tsv', relations) };
    const train = await file('ids.tsv', '0\t1\t1\n1\t0\t0\n');
    const imported = await importDataset({ name: 'x', train, ...names });
    const { dataset } = imported;
    expect([...dataset.train, ...dataset.valid, ...dataset.test]).toEqual([0, 2, 1, 1, 0, 0]);
    expect(dataset.vocabulary.entity(2)).toEqual({ key: '/m/c', label: 'Gamma' });
    expect(imported).toMatchObject({ entitiesWithoutFacts: 1, relationsWithoutFacts: [] });

    const paired = await file('r2.tsv', '0\tlikes\n1\tlikes_inverse\n2\tknows\n3\tknows_inverse\n');
    const folded = await importDataset({ name: 'x', train, entities: names.entities, relations: paired });
    expect([...folded.dataset.train]).toEqual([1, 0, 0]);
    expect(folded).toMatchObject({ duplicates: 1, relationsWithoutFacts: ['knows'] });
    expect(folded.dataset.origin?.inverses).toBe('given');
  });

  it('give the labels of facts in keys', async () => {
    const names = { entities: await file('e.tsv', entities), relations: await file('r.tsv', relations) };
    const { dataset } = await importDataset({
      name: 'x',
      train: await file('k.tsv', '/m/b\tknows\t/m/a\n'),
      ...names,
    });
    expect(dataset.vocabulary.entity(0)).toEqual({ key: '/m/b', label: 'Beta' });
    expect(dataset.vocabulary.entityCount).toBe(2);
  });
});

describe('the form of what is imported', () => {
  it('follows from the ending', () => {
    expect(['a.tsv', 'b.TXT', 'c.csv.gz', 'd.nt', 'e.ttl.gz'].map(formatOf)).toEqual([
      'tsv',
      'tsv',
      'csv',
      'ntriples',
      'turtle',
    ]);
    for (const path of ['triples', 'a.gz', 'a.json'])
      expect(() => formatOf(path)).toThrow('expected an ending');
  });

  it('may be a folder of published files', async () => {
    const there = join(folder, 'published');
    await mkdir(there);
    for (const name of ['train.txt', 'valid.txt', 'test.txt', 'entity2text.txt', 'relations.tsv']) {
      await file(join('published', name), 'a\tb\tc\n');
    }
    expect(await findImportFiles(there)).toEqual({
      layout: 'files',
      train: join(there, 'train.txt'),
      valid: join(there, 'valid.txt'),
      test: join(there, 'test.txt'),
      entities: join(there, 'entity2text.txt'),
      relations: join(there, 'relations.tsv'),
    });
    const train = join(there, 'train.txt');
    expect(await findImportFiles(train, 'csv')).toEqual({ layout: 'files', train, format: 'csv' });
    await expect(findImportFiles(train, 'betae')).rejects.toMatchObject({ code: 'usage' });
    await expect(findImportFiles(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'data' });
    await mkdir(join(there, 'empty'));
    await expect(findImportFiles(join(there, 'empty'))).rejects.toThrow('training facts');
  });
});
