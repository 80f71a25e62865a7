import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportOptions, importDataset } from '../index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-import-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

const triples = (...facts: readonly string[]): string =>
  facts.map((fact) => `${fact.replaceAll(' ', '\t')}\n`).join('');

async function importing(train: string | Uint8Array, name = 'train.tsv') {
  return importDataset({ name: 'test', train: await file(name, train) });
}

describe('the split of an import', () => {
  const ring = triples(...Array.from({ length: 60 }, (_, i) => `e${i} r${i % 3} e${(i * 7 + 1) % 60}`));
  const split = async (changes: Partial<ImportOptions> = {}) => {
    const { train, valid, test } = (
      await importDataset({ name: 'one', train: await file('ring.tsv', ring), ...changes })
    ).dataset;
    return { train: [...train], valid: [...valid], test: [...test] };
  };

  it('depends on the facts and the seed, not on the name', async () => {
    expect(await split({ name: 'another' })).toEqual(await split());
    expect(await split({ seed: 1 })).not.toEqual(await split());
  });

  it('keeps every fact for training when nothing is to be held out', async () => {
    const { train, valid, test } = await split({ holdOut: 0 });
    expect([train.length, valid.length, test.length]).toEqual([180, 0, 0]);
    expect((await split({ holdOut: 0.05 })).valid).toHaveLength(9);
  });

  it('refuses a share that makes no sense, or beside files of held-out facts', async () => {
    await expect(split({ holdOut: 0.6 })).rejects.toMatchObject({ code: 'range' });
    const held = await file('held.tsv', 'e0\tr0\te5\n');
    await expect(split({ holdOut: 0.1, valid: held, test: held })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('an import', () => {
  it('numbers entities and relations as they appear, and takes their names from files', async () => {
    const { dataset } = await importDataset({
      name: 'tiny',
      train: await file('a.tsv', triples('x likes y', 'y knows x', 'z likes x')),
      valid: await file('b.tsv', triples('y likes x')),
      test: await file('c.tsv', triples('z knows y')),
      entities: await file('e.tsv', 'y\tYvonne\ta person\nz\tZoë\nunused\tNobody\n'),
      relations: await file('r.tsv', 'likes\tis fond of\n'),
    });
    const { vocabulary } = dataset;
    expect([vocabulary.entity(0), vocabulary.entity(1), vocabulary.entity(2)]).toEqual([
      { key: 'x', label: 'x' },
      { key: 'y', label: 'Yvonne', description: 'a person' },
      { key: 'z', label: 'Zoë' },
    ]);
    expect(vocabulary.entityCount).toBe(3);
    expect(vocabulary.relation(0).label).toBe('is fond of');
    expect([...dataset.train]).toEqual([0, 0, 1, 1, 2, 0, 2, 0, 0]);
    expect([...dataset.valid]).toEqual([1, 0, 0]);
    expect([...dataset.test]).toEqual([2, 2, 1]);
    expect(dataset.graphs().full.edgeCount).toBe(10);
  });

  it('counts what it leaves out', async () => {
    const options = {
      name: 'doubles',
      train: await file('a.tsv', triples('a r b', 'a r b', 'b r c')),
      valid: await file('b.tsv', triples('a r b', 'a r c', 'a r stranger')),
      test: await file('c.tsv', triples('a r c', 'c r a')),
    };
    const imported = await importDataset({ ...options, unknown: 'drop' });
    expect(imported).toMatchObject({ duplicates: 1, repeated: 2, dropped: 1 });
    expect([...imported.dataset.valid]).toEqual([0, 0, 2]);
    expect([...imported.dataset.test]).toEqual([2, 0, 0]);
    await expect(importDataset(options)).rejects.toMatchObject({
      code: 'data',
      path: `${options.valid}:3`,
      message: expect.stringContaining('"stranger"'),
    });
  });

  it('says how many lines name what is not known', async () => {
    const train = await file('a.tsv', triples('a r b'));
    const valid = await file('b.tsv', triples('a r b', 'a s b', 'new r b', 'a r new'));
    await expect(importDataset({ name: 'x', train, valid, test: train })).rejects.toMatchObject({
      path: `${valid}:2`,
      message:
        'relation: expected one that is known, got "s" (the first of 3 lines with a name that is not known)',
    });
  });

  it('splits a single file', async () => {
    const facts = Array.from({ length: 100 }, (_, i) => `e${i % 10} r e${Math.floor(i / 10)}`);
    const one = (await importing(triples(...facts))).dataset;
    expect([one.train, one.valid, one.test].reduce((sum, part) => sum + part.length, 0)).toBe(300);
    expect(one.valid.length).toBeGreaterThan(0);
    expect((await importing(triples(...facts))).dataset.test).toEqual(one.test);
  });

  it('reads ids with inverses, as in the BetaE data sets', async () => {
    const options = {
      name: 'ids',
      cells: 'ids' as const,
      train: await file('a.txt', triples('0 0 1', '1 1 0', '2 3 0')),
      entities: await file('e.tsv', '0\t/m/0\tZero\n1\t/m/1\n2\t/m/2\n'),
      relations: await file('r.tsv', '0\t+/a\n1\t-/a\n2\t+/b\n3\t-/b\n'),
    };
    const { dataset, duplicates } = await importDataset(options);
    expect(duplicates).toBe(1);
    expect(dataset.vocabulary.relation(2).key).toBe('/b');
    expect(dataset.vocabulary.entity(0).label).toBe('Zero');
    expect(dataset.graphs().full.has(0, 2, 2)).toBe(true);
    const beyond = await file('a.txt', triples('0 0 1', '0 0 3'));
    await expect(importDataset(options)).rejects.toMatchObject({ path: `${beyond}:2` });
    const { relations: _relations, ...nameless } = options;
    await expect(importDataset(nameless)).rejects.toMatchObject({ code: 'usage' });
  });

  it('reads gzip, byte order marks, other line ends, empty lines and a last line without its end', async () => {
    const text = '\uFEFFa\tr\tb\r\n\r\nb\tr\tć';
    for (const [name, content] of [
      ['t.tsv', text],
      ['t.tsv.gz', gzipSync(text)],
    ] as const) {
      const { dataset } = await importing(content, name);
      expect([0, 1, 2].map((id) => dataset.vocabulary.entity(id).key)).toEqual(['a', 'b', 'ć']);
    }
  });

  it('reads lines and letters across the blocks of a file', async () => {
    const facts = Array.from({ length: 30_000 }, (_, i) => `é${i % 500}ł r 語${i % 377}`);
    const long = 'x'.repeat(200_000);
    const { dataset } = await importing(triples(...facts, `${long} r ${long}`));
    expect(dataset.vocabulary.entityCount).toBe(500 + 377 + 1);
    expect(dataset.vocabulary.findEntity(long)).toBeGreaterThan(0);
  });
});

describe('an import refuses', () => {
  const cases: readonly [what: string, content: string | Uint8Array, line: string, message: string][] = [
    ['two columns', 'a\tr\tb\na\tr\n', ':2', 'three columns between tabs, got 2'],
    ['four columns', 'a\tr\tb\tc\n', ':1', 'got 4'],
    ['spaces for tabs', 'a r b\n', ':1', 'got 1'],
    ['an empty column', 'a\tr\tb\na\t\tb\n', ':2', 'column 2 (relation), got an empty cell'],
    ['an empty file', '', '', 'at least one, got none'],
    ['a file of empty lines', '\n\n', '', 'at least one, got none'],
    ['what is not UTF-8', Buffer.from('a\tr\tb\nM\xfcnchen\tr\tb\n', 'latin1'), ':2', 'UTF-8'],
    ['what is not UTF-8 in a last line', Buffer.from('a\tr\tb\na\tr\t\xff', 'latin1'), ':2', 'UTF-8'],
  ];
  it.each(cases)('%s', async (_what, content, line, message) => {
    await expect(importing(content)).rejects.toMatchObject({
      code: 'data',
      path: `${join(folder, 'train.tsv')}${line}`,
      message: expect.stringContaining(message),
    });
  });

  it('no names that only begin or end with white space', async () => {
    const { dataset } = await importing(' a\tr\t\u00a0b \n');
    expect([0, 1].map((id) => dataset.vocabulary.entity(id).key)).toEqual([' a', '\u00a0b ']);
  });

  it('a file that is not there, or is a folder', async () => {
    const missing = importDataset({ name: 'x', train: join(folder, 'nowhere.tsv') });
    await expect(missing).rejects.toMatchObject({ code: 'data', path: join(folder, 'nowhere.tsv') });
    await expect(importDataset({ name: 'x', train: folder, format: 'tsv' })).rejects.toMatchObject({
      code: 'data',
      path: folder,
    });
  });

  it('gzip that is cut short or none', async () => {
    const whole = gzipSync(triples('a r b'));
    await expect(importing(whole.subarray(0, -9), 'cut.tsv.gz')).rejects.toThrow('gzip');
    await expect(importing('a\tr\tb\n', 'none.tsv.gz')).rejects.toThrow('gzip');
  });

  it('one held-out file without the other', async () => {
    const train = await file('a.tsv', triples('a r b'));
    await expect(importDataset({ name: 'x', train, valid: train })).rejects.toMatchObject({ code: 'usage' });
  });

  it('names without a label, for the second time, or out of order', async () => {
    const train = await file('a.tsv', triples('a r b'));
    const entities = await file('e.tsv', 'a\tA\na\tAgain\n');
    await expect(importDataset({ name: 'x', train, entities })).rejects.toMatchObject({
      path: `${entities}:2`,
    });
    for (const text of ['a\tA\rb\tB\r', '0\ta\tA\r1\tb\tB\r'])
      await expect(
        importDataset({ name: 'x', train, entities: await file('m.tsv', text) }),
      ).rejects.toMatchObject({
        path: `${join(folder, 'm.tsv')}:1`,
        message: 'line ends: expected LF or CRLF, got CR',
      });
    await file('e.tsv', 'a\n');
    await expect(importDataset({ name: 'x', train, entities })).rejects.toMatchObject({
      path: `${entities}:1`,
    });
    const relations = await file('r.tsv', '0\tr\n2\ts\n');
    const ids = importDataset({ name: 'x', cells: 'ids', train, entities: relations, relations });
    await expect(ids).rejects.toMatchObject({ path: `${relations}:2` });
  });
});
