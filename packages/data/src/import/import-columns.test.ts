import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findImportFiles, type ImportOptions, importDataset } from '../index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-columns-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

/** The facts of a file as texts, and how it was read. */
async function read(name: string, content: string, more: Partial<ImportOptions> = {}) {
  const train = await file(name, content);
  const { dataset, notes, ...counts } = await importDataset({ name: 'x', train, holdOut: 0, ...more });
  const { vocabulary, train: triples } = dataset;
  const facts: string[] = [];
  for (let i = 0; i < triples.length; i += 3)
    facts.push(
      `${vocabulary.entity(triples[i]!).key} ${vocabulary.relation(triples[i + 1]!).key} ${vocabulary.entity(triples[i + 2]!).key}`,
    );
  return { facts, notes: notes.join('\n').replaceAll(folder, ''), counts };
}

const ratings =
  'user_id,film,rating,date\nu1,Alien,4,2020-01-01\nu2,Heat,5,2020-01-02\nu1,Heat,3,2020-01-03\n';

describe('titles that tools write', () => {
  it.each([
    ['neo4j.csv', ':START_ID,:END_ID,:TYPE\nann,bob,LIKES\nbob,cid,LIKES\n', 'ann LIKES bob'],
    ['groups.csv', ':START_ID(P),since:int,:END_ID(P),:TYPE\nann,7,bob,LIKES\n', 'ann LIKES bob'],
    ['hetionet.tsv', 'source\tmetaedge\ttarget\nann\tLIKES\tbob\n', 'ann LIKES bob'],
    ['sssom.csv', 'subject_id,predicate_id,object_id,comment\nann,LIKES,bob,\n', 'ann LIKES bob'],
    ['kgtk.tsv', 'id\tnode1\tlabel\tnode2\n1\tann\tLIKES\tbob\n', 'ann LIKES bob'],
    ['kgx.tsv', 'id\tsubject\tpredicate\tobject\tcategory\n1\tann\tLIKES\tbob\tc\n', 'ann LIKES bob'],
    [
      'kgx-2.tsv',
      'original_subject\trelation\tsubject\tobject\tpredicate\n\tRO:1\tann\tbob\tLIKES\n',
      'ann LIKES bob',
    ],
    [
      'primekg.csv',
      'relation,display_relation,x_id,x_name,y_id,y_name\nLIKES,l,ann,A,bob,B\n',
      'ann LIKES bob',
    ],
    ['pharmkg.csv', 'Entity1_name,Entity2_name,relationship_type\nann,bob,LIKES\n', 'ann LIKES bob'],
  ])('say which column of %s is which, and are told', async (name, content, first) => {
    const { facts, notes } = await read(name, content);
    expect(facts[0]).toBe(first);
    expect(notes).toContain(`/${name}: took line 1 for titles: `);
    expect(notes).toContain(`${facts.length} facts`);
  });

  it('are read from the count line of OpenKE on, with its names', async () => {
    await file('train2id.txt', '2\n0 1 0\n1 2 0\n');
    await file('entity2id.txt', '3\nbob\t1\nann\t0\ncid\t2\n');
    await file('relation2id.txt', '1\nLIKES\t0\n');
    const found = await findImportFiles(folder);
    if (found.layout !== 'files') throw new Error('expected files');
    const { vocabulary, train } = (await importDataset({ ...found, name: 'x', holdOut: 0 })).dataset;
    expect([...train]).toEqual([0, 0, 1, 1, 0, 2]);
    expect([vocabulary.entity(1).key, vocabulary.relation(0).key]).toEqual(['bob', 'LIKES']);
    await file('entity2id.txt', '3\nbob\t1\nann\t0\ncid\t3\n');
    await expect(importDataset({ ...found, name: 'x' })).rejects.toMatchObject({
      path: join(folder, 'entity2id.txt:4'),
    });
  });

  it('are none where their names occur again, or another file has none', async () => {
    const end = await read('end.tsv', 'end\tedge\tstart\na\tedge\tb\nb\tedge\tc\n');
    expect(end.facts).toEqual(['end edge start', 'a edge b', 'b edge c']);
    expect(end.notes).toContain('/end.tsv:1: end, edge, start could be titles');
    expect((await read('head.tsv', 'head\trelation\ttail\nneck\tin\thead\n')).facts).toEqual([
      'neck in head',
    ]);
    const valid = await file('valid.tsv', 's\tp\to\n');
    const train = await file('train.tsv', 's\tp\ta\na\tq\to\n');
    const { dataset } = await importDataset({ name: 'x', train, valid, test: valid });
    expect(dataset.valid).toHaveLength(3);
  });

  it('hold for the parts that were cut off, and may not turn the first part round', async () => {
    const train = await file('t.csv', 'tail,relation,head\nb,r,a\na,r,b\n');
    const valid = await file('v.csv', 'a,r,a\n');
    const { dataset } = await importDataset({ name: 'x', train, valid, test: valid });
    expect([...dataset.train]).toEqual([0, 0, 1, 1, 0, 0]);
    const turned = importDataset({ name: 'x', train: valid, valid: train, test: valid });
    await expect(turned).rejects.toMatchObject({ code: 'usage', path: `${train}:1` });
  });

  it('are passed over where they are repeated, and asked about where they are unknown', async () => {
    const twice = await read('twice.csv', 'head,relation,tail\na,r,b\nhead,relation,tail\nb,r,c\n');
    expect(twice.facts).toEqual(['a r b', 'b r c']);
    expect(twice.notes).toContain('passed over 1 lines');
    const unknown = await read('unknown.tsv', 'gene\tdoes\tdisease\nA\tcauses\tX\nB\tcauses\tX\n');
    expect(unknown.notes).toContain('looks like titles');
    expect((await read('plain.tsv', 'A\tcauses\tX\nB\tcauses\tX\n')).notes).toBe('');
    const order = `from_node\tto_node\tkind${Array.from({ length: 60 }, (_, i) => `\ne${i}\te${(i * 7) % 60}\tr${i % 2}`).join('')}\n`;
    await expect(read('order.tsv', order)).rejects.toMatchObject({
      code: 'usage',
      hint: expect.stringContaining("--columns 'head=from_node,relation=kind,tail=to_node'"),
    });
  });
});

describe('a table of more columns', () => {
  it.each([{}, { ignoreExtra: true }, { header: 'yes', ignoreExtra: true } as const])(
    'is refused with what to type, given %j',
    async (more) => {
      await expect(read('ratings.csv', ratings, more)).rejects.toMatchObject({
        code: 'usage',
        hint: expect.stringContaining('--table "user_id"'),
      });
    },
  );

  it('is read by a map of titles or numbers, with a relation of its own', async () => {
    const expected = ['Alien likes u1', 'Heat likes u1', 'Heat likes u2'];
    for (const columns of ['head=film,relation="likes",tail=user_id', 'head=2, relation="likes", tail=1'])
      expect((await read('mapped.csv', ratings, { columns, header: 'yes' })).facts.sort()).toEqual(expected);
    // The shell takes the quotes off.
    const plain = await read('mapped.csv', ratings, { columns: 'head=film,relation=likes,tail=user_id' });
    expect(plain.facts.sort()).toEqual(expected);
    expect(plain.notes).toContain('no column is titled likes');
    expect(
      (await read('mapped.csv', ratings, { columns: 'head=user_id,relation=rating,tail=film' })).facts,
    ).toContain('u1 4 Alien');
    for (const columns of [
      'head=who,relation="r",tail=film',
      'head=film,tail=user_id',
      'head=9,relation=1,tail=2',
    ])
      await expect(read('mapped.csv', ratings, { columns })).rejects.toMatchObject({ code: 'usage' });
  });

  it('is read as relations of one column, without its numbers', async () => {
    const films = 'film,director,country,year,studio_id\nAlien,Scott,UK,1979,7\nHeat,Mann,,1995,8\n';
    const { facts, counts, notes } = await read('films.csv', films, { table: 'film' });
    expect(facts).toEqual([
      'Alien director Scott',
      'Alien country UK',
      'Alien studio_id 7',
      'Heat director Mann',
      'Heat studio_id 8',
    ]);
    expect(counts).toMatchObject({ attributes: 2, literals: 0, badLines: 0 });
    expect(notes).toContain('of the columns year');
    await expect(read('films.csv', films, { table: 'movie' })).rejects.toMatchObject({
      hint: expect.stringContaining('film, director'),
    });
  });
});

describe('bad lines', () => {
  const text = 'a\tr\tb\na r b\nb\tr\tc\nx\ty\nc\tr\t\n';

  it('are told together, and passed over where that is asked for', async () => {
    await expect(read('bad.tsv', text)).rejects.toMatchObject({
      code: 'data',
      path: join(folder, 'bad.tsv:2'),
      message: expect.stringContaining('the first of 3 bad lines'),
      hint: expect.stringMatching(
        /bad\.tsv:4: .*got 2\n.*bad\.tsv:5: .*column \d \(\w+\), got an empty cell\n.*--skip-bad/,
      ),
    });
    const { facts, counts, notes } = await read('bad.tsv', text, { skipBad: true });
    expect(facts).toEqual(['a r b', 'b r c']);
    expect(counts.badLines).toBe(3);
    expect(notes.split('\n')).toHaveLength(3);
  });

  it('may have quotes without an end, and bytes that are no text', async () => {
    const quotes = 'a,r,b\na,"r"x,b\nb,r,c\n"x,y\nc,r,a\n';
    const { facts, counts } = await read('quotes.csv', quotes, { skipBad: true });
    expect(facts).toEqual(['a r b', 'b r c', 'c r a']);
    expect(counts.badLines).toBe(2);
    const train = await file('latin.tsv', Buffer.from('a\tr\tb\nh\xe9\tr\tb\nb\tr\tc\n', 'latin1'));
    await expect(importDataset({ name: 'x', train })).rejects.toMatchObject({
      path: `${train}:2`,
      message: expect.stringContaining('byte 2 of the line as 0xe9'),
    });
    const { badLines, dataset } = await importDataset({
      name: basename(train),
      train,
      skipBad: true,
      holdOut: 0,
    });
    expect([badLines, dataset.train.length]).toEqual([1, 6]);
  });

  it('are told up to the tenth', async () => {
    const many = read('many.tsv', `a\tr\tb\n${'x\n'.repeat(25)}`);
    await expect(many).rejects.toMatchObject({
      hint: expect.stringMatching(/The first 10 of 25 bad lines:/),
    });
    await many.catch(({ hint }: { hint: string }) => expect(hint.match(/many\.tsv:/g)).toHaveLength(10));
  });
});
