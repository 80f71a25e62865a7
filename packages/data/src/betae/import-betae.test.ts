import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findImportFiles, importBetaE, queryRow, readDataset, readQueries, writeDataset } from '../index.ts';
import { betaEFiles } from '../testing/betae-files.ts';
import { writePickle } from '../testing/write-pickle.ts';

let root = '';
let next = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-betae-'));
});
afterAll(() => rm(root, { recursive: true }));

/** A folder with the files of the sample, some of them changed; undefined takes one out. */
async function folderWith(
  changes: Readonly<Record<string, string | Uint8Array | undefined>> = {},
): Promise<string> {
  const folder = await mkdtemp(join(root, `${next++}-`));
  const files = new Map<string, string | Uint8Array | undefined>([
    ...betaEFiles(),
    ...Object.entries(changes),
  ]);
  for (const [name, content] of files)
    if (content !== undefined) await writeFile(join(folder, name), content);
  return folder;
}

describe('a folder in the BetaE layout', () => {
  it('is recognised, and gives the graph with each fact once', async () => {
    const folder = await folderWith();
    expect(await findImportFiles(folder)).toEqual({ layout: 'betae', folder });
    const { dataset, ...counts } = await importBetaE({ name: 'tiny', folder });
    expect([...dataset.train]).toEqual([0, 0, 1, 1, 0, 2, 2, 2, 3]);
    expect([...dataset.valid]).toEqual([0, 0, 2]);
    expect(dataset.test).toHaveLength(0);
    expect(dataset.vocabulary.entity(3).key).toBe('/m/3');
    expect(dataset.vocabulary.relation(2).key).toBe('/of');
    expect(dataset.origin).toEqual({ format: 'betae', inverses: 'given' });
    expect(counts).toMatchObject({ duplicates: 0, repeated: 0, dropped: 0, otherStructures: 1 });
  });

  it('gives its queries, in the form of our folder', async () => {
    const { dataset, queries } = await importBetaE({ name: 'tiny', folder: await folderWith() });
    const out = join(root, 'out');
    await writeDataset(out, dataset, queries);
    expect((await readDataset(out)).origin).toEqual(dataset.origin);
    expect(await readFile(join(out, 'queries', 'train.jsonl'), 'utf8')).toBe(
      '{"type":"1p","query":[0,[0]],"easy":[1],"hard":[]}\n{"type":"2p","query":[0,[0,0]],"easy":[2],"hard":[]}\n',
    );
    const [oneHop, union] = await readQueries(join(out, 'queries', 'valid.jsonl'), {
      bounds: dataset.vocabulary,
    });
    expect([oneHop!.structure, union!.structure]).toEqual(['1p', '2u']);
    expect([...queryRow(oneHop!, 0).hard]).toEqual([2]);
    expect([...queryRow(union!, 0).easy]).toEqual([1, 2]);
  });

  it('may have no inverses, pickles the other way round, or tables instead of them', async () => {
    const { dataset } = await importBetaE({
      name: 'tiny',
      folder: await folderWith({
        'train.txt': '0\t0\t1\n1\t0\t2\n2\t2\t3\n2\t2\t3\n',
        'valid.txt': '0\t0\t2\n',
        'id2ent.pkl': undefined,
        'entities.tsv': '0\t/a\tA\n1\t/b\tB\n2\t/c\tC\n3\t/d\tD\n',
        'rel2id.pkl': undefined,
        'relations.tsv.gz': gzipSync('0\tx\n1\tx_reverse\n2\ty\n3\ty_reverse\n'),
      }),
    });
    expect(dataset.origin?.inverses).toBe('added');
    expect(dataset.vocabulary.entity(1)).toEqual({ key: '/b', label: 'B' });
    expect(dataset.vocabulary.relation(2).key).toBe('y');
  });

  it('answers the easy part of queries in lines', async () => {
    const { queries } = await importBetaE({
      name: 'tiny',
      folder: await folderWith({
        'valid-queries.pkl': undefined,
        'valid-queries.jsonl': '{"type":"1p","query":[0,[0]],"hard":[2]}\n',
      }),
    });
    expect([...queryRow(queries.valid![0]!, 0).easy]).toEqual([1]);
  });
});

describe('a folder in the BetaE layout is refused', () => {
  const easyAndHard = new Map([[[0, [0]], new Set([1, 2])] as const]);
  const cases: readonly [
    what: string,
    changes: Readonly<Record<string, string | Uint8Array | undefined>>,
    message: string,
    path: string,
  ][] = [
    [
      'for facts without their inverse',
      { 'train.txt': '0\t0\t1\n1\t1\t0\n1\t0\t2\n2\t2\t3\n' },
      'got 2 along one of them only',
      'train.txt:3',
    ],
    [
      'for odd relations that are others',
      { 'train.txt': '0\t0\t1\n1\t1\t3\n' },
      'got 2 along one',
      'train.txt:1',
    ],
    ['for an id beyond the names', { 'train.txt': '0\t0\t1\n0\t0\t4\n' }, 'got "4"', 'train.txt:2'],
    [
      'for a held-out id beyond the names',
      { 'valid.txt': '0\t9\t1\n0\t0\t4\n' },
      'the first of 2',
      'valid.txt:1',
    ],
    [
      'for counts that differ',
      { 'stats.txt': 'numentity: 5\nnumrelations: 4\n' },
      'expected 5 as stats.txt says, got 4',
      'id2ent.pkl',
    ],
    ['for stats without a count', { 'stats.txt': 'numentity: 4\n' }, 'numrelations', 'stats.txt'],
    [
      'for relations that are not paired',
      {
        'rel2id.pkl': writePickle(
          new Map([
            ['a', 0],
            ['b', 1],
            ['c', 2],
            ['d', 3],
          ]),
        ),
      },
      'relation 1: expected the inverse of "a", got "b"',
      'rel2id.pkl',
    ],
    [
      'for ids with a gap',
      { 'id2ent.pkl': writePickle(new Map([0, 1, 2, 4].map((id) => [id, `${id}`]))) },
      'ids in [0, 4), got 4',
      'id2ent.pkl',
    ],
    [
      'for an answer that is easy and hard',
      { 'valid-easy-answers.pkl': writePickle(easyAndHard) },
      'hard answers of [0,[0]]: expected none that is easy, got 2',
      'valid-hard-answers.pkl',
    ],
    [
      'for queries without answers',
      { 'valid-hard-answers.pkl': writePickle(new Map()) },
      'those of the query [0,[0]], got none',
      'valid-hard-answers.pkl',
    ],
    [
      'for queries without a file of answers',
      { 'valid-easy-answers.pkl': undefined },
      'expected valid-easy-answers.pkl',
      'valid-queries.pkl',
    ],
    [
      'for an answer beyond the graph',
      { 'valid-hard-answers.pkl': writePickle(new Map([[[0, [0]], new Set([4])]])) },
      'in [0, 4), got 4',
      'valid-hard-answers.pkl',
    ],
    [
      'for a query beyond the graph',
      { 'valid-queries.pkl': writePickle(new Map([[['e', ['r']], new Set([[9, [0]]])]])) },
      'query [9,[0]]',
      'valid-queries.pkl',
    ],
    [
      'for a query under another structure',
      { 'valid-queries.pkl': writePickle(new Map([[['e', ['r']], new Set([[0, [0, 0]]])]])) },
      'expected structure 1p, under which it stands, got 2p',
      'valid-queries.pkl',
    ],
    ['without training facts', { 'train.txt': undefined }, 'expected train.txt', ''],
  ];
  it.each(cases)('%s', async (_what, changes, message, path) => {
    const folder = await folderWith(changes);
    await expect(importBetaE({ name: 'x', folder })).rejects.toMatchObject({
      code: 'data',
      path: join(folder, path),
      message: expect.stringContaining(message),
    });
  });

  it('only where held-out facts beyond the names are not to be dropped', async () => {
    const folder = await folderWith({ 'valid.txt': '0\t0\t2\n2\t1\t0\n0\t0\t4\n' });
    expect((await importBetaE({ name: 'x', folder, unknown: 'drop' })).dropped).toBe(1);
  });
});
