import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDataset } from '@fuzzqe/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../../testing/run-fuzzqe.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-data-'));
});
afterAll(() => rm(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);

describe('fuzzqe data import', () => {
  it('names the data set after its folder, and says what it left out', async () => {
    await writeFile(at('a.csv'), 'a,r,b\na,r,b\nb,r,c\n');
    await writeFile(at('v.csv'), 'a,r,b\nb,r,a\nnew,r,a\n');
    const { code, notes } = await fuzzqe(
      ...['data', 'import', at('a.csv'), '--valid', at('v.csv'), '--test', at('v.csv')],
      ...['--drop-unseen', '--licence', 'CC0-1.0', '--out', at('mine')],
    );
    expect(code).toBe(0);
    expect(notes.split('\n')).toEqual([
      'mine (CC0-1.0): 3 entities, 1 relation and its inverse',
      'facts: 2 to learn from, 1 held out for validation, 0 for the test',
      '1 facts that their file had already stated, counted once',
      '3 held-out facts left out because an earlier part states them',
      '2 held-out facts left out because they name what no training fact names',
      expect.stringMatching(/^Next: (?:npx )?fuzzqe ask \S+mine 'project\(r, a\)'$/),
    ]);
    expect(JSON.parse(await readFile(join(at('mine'), 'dataset.json'), 'utf8'))).toMatchObject({
      name: 'mine',
      origin: { format: 'csv', inverses: 'added' },
      split: 'given',
    });
  });

  it('keeps attributes, which show and names tell of', async () => {
    await writeFile(
      at('films.csv'),
      'film,director,length (min)\nAlien,Scott,117\nBrazil,Gilliam,142\nHeat,Mann,170\n',
    );
    await fuzzqe('data', 'import', at('films.csv'), '--table', 'film', '--out', at('films'));
    const shown = await fuzzqe('data', 'show', at('films'));
    expect(shown.out).toContain('attributes: 3 values in 1 columns (1 of number)');
    expect((await fuzzqe('names', at('films'), 'Brazil')).out).toContain('length (min): 142 (number, min)');
    const json = await fuzzqe('names', at('films'), 'Brazil', '--json');
    expect(JSON.parse(json.out).results[0].attributes).toMatchObject({
      total: 1,
      results: [{ value: '142' }],
    });
  });

  it('prints counts as JSON', async () => {
    await writeFile(at('a.ttl'), '@prefix : <http://x/> . :a :r :b ; :age 3 . :b :r :c .');
    const { out } = await fuzzqe('data', 'import', at('a.ttl'), '--json', '--out', at('rdf'));
    expect(JSON.parse(out)).toMatchObject({
      name: 'rdf',
      entities: 3,
      relations: 1,
      attributes: 1,
      literals: 0,
      duplicates: 0,
      queries: { train: 0, valid: 0, test: 0 },
      origin: { format: 'turtle', inverses: 'added' },
    });
    expect((await readDataset(at('rdf'))).split).toBe('drawn');
  });

  it('counts blank nodes, and names the flag that leaves them out', async () => {
    await writeFile(
      at('b.ttl'),
      '@prefix : <http://x/> . :a :r :b ; :has [ :p :b ; :q [ :p :a ] ] . _:c :r _:d . :b :r :a .',
    );
    const all = await fuzzqe('data', 'import', at('b.ttl'), '--out', at('blank'));
    expect(all.notes).toMatch(/^4 of 6 entities are blank nodes, .*--skip-blank/m);
    const named = await fuzzqe('data', 'import', at('b.ttl'), '--skip-blank', '--out', at('named'));
    expect(named.notes).toContain('5 triples left out because their subject or object is a blank node');
    expect(named.notes).not.toContain('--skip-blank');
    expect(named.notes).toContain('named (unknown): 2 entities');
    await writeFile(at('half.ttl'), '@prefix : <http://x/> . :a :r [ :r :b ] . _:c :r :a .');
    const half = await fuzzqe('data', 'import', at('half.ttl'), '--out', at('half'));
    expect(half.notes).not.toContain('--skip-blank');
  });

  it('reads N-Quads, comments and further columns as it is told, and counts them', async () => {
    await writeFile(at('a.nq'), '<http://x/a> <http://x/r> <http://x/b> <http://x/g> .\n');
    const quads = await fuzzqe('data', 'import', at('a.nq'), '--out', at('quads'));
    expect(quads.notes).toContain('1 triples in named graphs, whose graphs are the sources of their facts');
    expect(quads.notes).toContain('provenance: of 1 facts (1 with a source)');
    await writeFile(at('wide.tsv'), '# of 2024\na\tr\tb\t0.5\n');
    const wide = await fuzzqe('data', 'import', at('wide.tsv'), '--comment', '#', '--out', at('wide'));
    expect(wide.code).toBe(4);
    expect(wide.notes).toContain('--ignore-extra');
    const told = await fuzzqe(
      ...['data', 'import', at('wide.tsv'), '--comment', '#', '--ignore-extra', '--json'],
      ...['--out', at('wide')],
    );
    expect(JSON.parse(told.out)).toMatchObject({ entities: 2, relations: 1, comments: 1 });
  });

  it('ends with the code for its kind of error, and says where and how to mend it', async () => {
    await writeFile(at('bad.tsv'), 'a\tr\tb\na r b\n');
    const bad = await fuzzqe('data', 'import', at('bad.tsv'), '--out', at('x'));
    expect(bad.code).toBe(4);
    expect(bad.notes).toContain(`${at('bad.tsv')}:2: triple: expected three columns between tabs, got 1`);
    expect((await fuzzqe('data', 'import', at('bad.tsv'), '--format', 'xml', '--out', at('x'))).code).toBe(2);
    expect((await fuzzqe('data', 'import', at('bad.tsv'), '--format', 'betae', '--out', at('x'))).code).toBe(
      2,
    );
    expect((await fuzzqe('data', 'import', at('bad.tsv'), '--out', folder)).code).toBe(2);
  });
});

describe('fuzzqe data peek', () => {
  it('shows form, columns and ten facts, and writes nothing', async () => {
    const lines = Array.from({ length: 12 }, (_, i) => `u${i},Alien,${i}\n`).join('');
    await writeFile(at('peek.csv'), `user,film,rating\n${lines}`);
    const before = await readdir(folder);
    const { code, out } = await fuzzqe('data', 'peek', at('peek.csv'), '--table', 'user');
    expect(code).toBe(0);
    expect(out).toContain('peek.csv: csv, 12 facts');
    expect(out).toContain('took line 1 for titles: user, film, rating');
    expect(out).toContain('12 numbers, dates, booleans and texts are attributes');
    const without = await fuzzqe('data', 'peek', at('peek.csv'), '--table', 'user', '--no-attributes');
    expect(without.out).toContain('12 facts left out because they end in a literal');
    expect(out.match(/^ {2}u\d+ \| film \| Alien$/gm)).toHaveLength(10);
    const refused = await fuzzqe('data', 'peek', at('peek.csv'));
    expect(refused.code).toBe(2);
    expect(refused.notes).toContain('--columns');
    expect(await readdir(folder)).toEqual(before);
  });
});

describe('fuzzqe data download', () => {
  it('ends with the code for its kind of error', async () => {
    const server = createServer((_, response) => response.end('no archive'));
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const download = (...flags: readonly string[]) =>
      fuzzqe('data', 'download', 'nell995', '--out', at('nell'), '--url', url, ...flags);
    const wrong = await download('--sha256', '0'.repeat(64));
    expect(wrong.code).toBe(4);
    expect(wrong.notes).toContain('expected the SHA-256 0000');
    expect((await download()).notes).toContain('cannot be unpacked');
    expect((await download('--sha256', '12')).code).toBe(2);
    expect((await fuzzqe('data', 'download', 'wordnet', '--out', at('x'))).code).toBe(2);
    server.closeAllConnections();
    server.close();
  });
});
