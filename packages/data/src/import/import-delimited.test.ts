import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findImportFiles, importDataset } from '../index.ts';
import { tripleFormatOf } from '../triples/triple-format.ts';

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
    const reordered = 'Target,Source,Relation\r\n"the ""Lone Star"" state","Paris, Texas",in\r\n';
    expect(await keysOf(await file('c.csv', reordered))).toEqual(expected);
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

describe('comments and further columns', () => {
  it('are passed over where they are asked for, and counted', async () => {
    const text = '# made by hand\na\tr\tb\n#c\tr\td\n\nb\tr\t#1\n#';
    const train = await file('c.tsv', text);
    const { dataset, comments } = await importDataset({ name: 'x', train, comment: '#' });
    expect(comments).toBe(3);
    expect([0, 1, 2].map((id) => dataset.vocabulary.entity(id).key)).toEqual(['a', 'b', '#1']);
    await expect(importDataset({ name: 'x', train })).rejects.toMatchObject({ path: `${train}:1` });
    const whole = await file('d.tsv', '#a\tr\tb\n');
    expect((await importDataset({ name: 'x', train: whole })).comments).toBe(0);
  });

  it('may begin by more than a character, before a header and before ids', async () => {
    const train = await file('e.csv', '// "open\r\ntail,head,relation\n//,\nb,a,"// r"\n');
    expect(await keysOf(train, { comment: '//' })).toEqual(['a', '// r', 'b']);
    const names = {
      entities: await file('ce.tsv', '0\ta\n1\tb\n'),
      relations: await file('cr.tsv', '0\tr\n'),
    };
    const ids = await file('ids.tsv', '% 1\n% 2\n% 3\n1\t0\t0\n');
    const { dataset } = await importDataset({ name: 'x', train: ids, ...names, comment: '%' });
    expect([...dataset.train]).toEqual([1, 0, 0]);
  });

  it.each(['', '#\n'])('cannot begin by %j', async (comment) => {
    const train = await file('g.tsv', 'a\tr\tb\n');
    await expect(importDataset({ name: 'x', train, comment })).rejects.toMatchObject({ code: 'usage' });
  });

  it('name lines by their place in the file', async () => {
    const train = await file('l.tsv', '# one\na\tr\tb\n# three\na\tr\n');
    await expect(importDataset({ name: 'x', train, comment: '#' })).rejects.toMatchObject({
      path: `${train}:4`,
    });
  });

  it('are the columns after the third, or those that a header does not name', async () => {
    const scored = await file('s.tsv', 'a\tr\tb\t0.5\tweb\na\tr\tc\n');
    expect(await keysOf(scored, { ignoreExtra: true })).toEqual(['a', 'r', 'b']);
    const titled = await file('t.csv', ',score,object,subject,predicate\n0,0.5,b,a,r\n1,,c,a,r\n');
    expect(await keysOf(titled, { ignoreExtra: true })).toEqual(['a', 'r', 'b']);
    await expect(importDataset({ name: 'x', train: scored })).rejects.toMatchObject({
      path: `${scored}:1`,
      message: 'triple: expected three columns between tabs, got 5',
      hint: expect.stringContaining('--ignore-extra'),
    });
  });

  it('are not the facts of a file whose lines end by carriage returns', async () => {
    const train = await file('mac.tsv', 'a\tr\tb\rb\tr\tc\rc\tr\ta\r');
    await expect(importDataset({ name: 'x', train, ignoreExtra: true })).rejects.toMatchObject({
      path: `${train}:1`,
      message: 'line ends: expected LF or CRLF, got CR',
    });
  });

  it('are named by their titles', async () => {
    const titled = await file('z.csv', 'head,relation,tail,year,\na,r,b,1999,x\n');
    const { notes } = await importDataset({ name: 'x', train: titled, ignoreExtra: true });
    expect(notes.join()).toContain('; not read: year, column 5; 1 facts');
    const untitled = await file('v.csv', 'a,r,b\n');
    expect((await importDataset({ name: 'x', train: untitled })).notes.join()).not.toContain('not read');
  });

  it('leave no fewer than the triple needs', async () => {
    const short = await file('u.tsv', 'a\tr\tb\tx\na\tr\n');
    await expect(importDataset({ name: 'x', train: short, ignoreExtra: true })).rejects.toMatchObject({
      path: `${short}:2`,
      message: expect.stringContaining('got 2'),
    });
    const cut = await file('w.csv', 'id,head,relation,tail\n1,a,r,b\n2,a,r\n');
    await expect(importDataset({ name: 'x', train: cut, ignoreExtra: true })).rejects.toMatchObject({
      path: `${cut}:3`,
      message: 'triple: expected 4 columns or more between commas, got 3',
    });
    const empty = await file('y.tsv', 'a\tr\t\tx\n');
    await expect(importDataset({ name: 'x', train: empty, ignoreExtra: true })).rejects.toThrow(
      'column 3 (tail), got an empty cell',
    );
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
    const train = await file('k.tsv', '/m/b\tknows\t/m/a\n');
    const { dataset, unusedNames } = await importDataset({ name: 'x', train, ...names });
    expect(dataset.vocabulary.entity(0)).toEqual({ key: '/m/b', label: 'Beta' });
    // What the facts do not name, be it misspelt.
    expect(unusedNames).toEqual(['/m/c', 'likes']);
    expect(await importDataset({ name: 'x', train })).toMatchObject({ unusedNames: [] });
  });

  it('have no gaps, which would name everything by its neighbour', async () => {
    const names = {
      entities: await file('gap.tsv', '0\ta\n2\tb\n'),
      relations: await file('r.tsv', relations),
    };
    const train = await file('gapped.tsv', '0\t0\t1\n1\t0\t2\n');
    await expect(importDataset({ name: 'x', train, ...names })).rejects.toMatchObject({
      path: `${names.entities}:2`,
      message: 'id: expected 1, got "2"',
    });
    const asKeys = await importDataset({ name: 'x', train, ...names, cells: 'keys' });
    expect(asKeys.dataset.vocabulary.entity(0)).toEqual({ key: '0', label: 'a' });
    // Keys that are numbers, with labels, are no ids where one is none.
    const years = { entities: await file('years.tsv', '0\tzero\nx1\tone\n') };
    const { dataset } = await importDataset({
      name: 'x',
      train: await file('y.tsv', '0\tr\tx1\n'),
      ...years,
    });
    expect(dataset.vocabulary.entity(1)).toEqual({ key: 'x1', label: 'one' });
    expect(dataset.vocabulary.entityCount).toBe(2);
  });
});

describe('the form of what is imported', () => {
  it('follows from the ending', () => {
    expect(['a.tsv', 'b.TXT', 'c.csv.gz', 'd.nt', 'e.ttl.gz', 'f.nq.gz'].map(tripleFormatOf)).toEqual([
      'tsv',
      'tsv',
      'csv',
      'ntriples',
      'turtle',
      'nquads',
    ]);
    for (const path of ['triples', 'a.gz', 'a.json', 'a.constructor', 'a.__proto__'])
      expect(() => tripleFormatOf(path)).toThrow('expected an ending');
    expect(['a.nt.bz2', 'b.csv.ZST', 'c.ttl.zip'].map(tripleFormatOf)).toEqual(['ntriples', 'csv', 'turtle']);
    expect(() => tripleFormatOf('a.nt.xz')).toThrow('got one that ends in .xz');
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
