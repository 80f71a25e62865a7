import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { statedOf } from '@fuzzqe/names';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dataset } from '../datasets/dataset.ts';
import { readDataset } from '../datasets/read-dataset.ts';
import { writeDataset } from '../datasets/write-dataset.ts';
import { type ImportOptions, importDataset } from './import-dataset.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-provenance-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(name: string, text: string, options: Partial<ImportOptions> = {}) {
  const train = join(folder, name);
  await writeFile(train, text);
  return importDataset({ name: 'mine', holdOut: 0, ...options, train });
}

/** What is said of each fact, by labels. */
function saidIn({ vocabulary, train, provenances }: Dataset): Record<string, unknown> {
  const said: Record<string, unknown> = {};
  for (let i = 0; i < train.length; i += 3) {
    const [head, relation, tail] = [train[i]!, train[i + 1]!, train[i + 2]!];
    const name = [vocabulary.entity(head), vocabulary.relation(relation), vocabulary.entity(tail)];
    const stated = provenances && statedOf(provenances, head, relation, tail);
    said[name.map(({ label }) => label).join(' ')] = stated;
  }
  return said;
}

const prefixes = `@prefix : <http://x/> . @prefix dct: <http://purl.org/dc/terms/> . @prefix s: <https://schema.org/> .
@prefix prov: <http://www.w3.org/ns/prov#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
`;

describe('what RDF says of facts', () => {
  it('comes from annotations, reifiers and reification, in whatever order', async () => {
    const { dataset, notes, annotations } = await read(
      'all.ttl',
      `${prefixes}
      :a :r :b {| prov:wasDerivedFrom :atlas ; :confidence 0.75 ; :mood "good" |} .
      :b :r :c . << :b :r :c >> s:startDate "1990-05-01" ; s:endDate "2001" .
      :c :r :d ~ :why . :why pq:P580 "1970-01-01T00:00:00Z" .
      :st dct:source "a map" ; dct:date "2020" ; a rdf:Statement ; rdf:subject :d ; rdf:predicate :r ; rdf:object :a .
      :d :r :a . :e :r :a .`,
    );
    expect(saidIn(dataset)).toEqual({
      'a r b': { source: 'http://x/atlas', confidence: 0.75 },
      'b r c': { from: '1990-05-01', until: '2001' },
      'c r d': { from: '1970-01-01T00:00:00Z' },
      'd r a': { source: 'a map', date: '2020' },
      'e r a': undefined,
    });
    // Statements are no entities, and their properties no relations.
    expect(dataset.vocabulary.entityCount).toBe(5);
    expect(dataset.vocabulary.relationCount).toBe(2);
    expect(annotations).toBe(1);
    expect(notes.join()).toContain('left out 1 triples about statements');
  });

  it('is kept of RDF/XML, whose triples may have a name', async () => {
    const { dataset } = await read(
      'named.rdf',
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <rdf:Description rdf:about="http://x/a"><x:r rdf:ID="t" rdf:resource="http://x/b"/></rdf:Description>
      <rdf:Description rdf:about="http://y/z#t"><dc:source>a map</dc:source></rdf:Description></rdf:RDF>`,
      { base: 'http://y/z' },
    );
    expect(saidIn(dataset)).toEqual({ 'a r b': { source: 'a map' } });
  });

  it('is of a fact once: the first statement counts, and the graph is the source of a fact that names no source', async () => {
    const { dataset, notes } = await read(
      'graphs.trig',
      `${prefixes} :g1 { :a :r :b . :b :r :c . :c :r :d } :g2 { :a :r :b }
      << :b :r :c >> dct:source :map . << :b :r :c >> dct:source :other .
      << :c :r :d >> :confidence 0.5 . << :c :r :nowhere >> :confidence 0.5 .`,
    );
    expect(saidIn(dataset)).toEqual({
      'a r b': { source: 'http://x/g1' },
      'b r c': { source: 'http://x/map' },
      'c r d': { source: 'http://x/g1', confidence: 0.5 },
    });
    expect(notes.join('\n')).toContain('1 statements are about triples that are no facts');
    expect(notes.join('\n')).toContain('2 statements differ from an earlier statement');
  });

  it('is refused where it is none, with the place', async () => {
    const bad = (said: string) => read('bad.ttl', `${prefixes}:a :r :b .\n<< :a :r :b >> ${said} .`);
    await expect(bad(':confidence 1.5')).rejects.toMatchObject({
      code: 'data',
      message: 'confidence: expected a number in (0, 1], got "1.5"',
      path: expect.stringContaining('bad.ttl:'),
    });
    await expect(bad('s:startDate "soon"')).rejects.toThrow('from: expected a date, got "soon"');
    await expect(bad('s:startDate "2001" ; s:endDate "2000"')).rejects.toThrow('until: expected a date');
  });
});

describe('what columns say of facts', () => {
  const table = `head,relation,tail,source,confidence,from,until,note
a,r,b,atlas,0.5,1990,2001-05,x
b,r,c,atlas,1,,,y
c,r,a,,,,,z
`;

  it('is kept by their titles', async () => {
    const { dataset, notes } = await read('said.csv', table);
    expect(saidIn(dataset)).toEqual({
      'a r b': { source: 'atlas', confidence: 0.5, from: '1990', until: '2001-05' },
      'b r c': { source: 'atlas' },
      'c r a': undefined,
    });
    expect(notes.join()).toContain('provenance from source, confidence, from, until; not read: note');
  });

  it('is not read of columns that hold the facts', async () => {
    const { dataset } = await read('pairs.tsv', 'source\trelation\ttarget\na\tr\tb\nb\tr\tc\n');
    expect(dataset.provenances).toBeUndefined();
  });

  it('is refused with its line, which --skip-bad leaves out', async () => {
    const bad = table.replace('0.5', 'high');
    await expect(read('bad.csv', bad)).rejects.toMatchObject({
      message: expect.stringContaining('confidence: expected a number in (0, 1], got "high"'),
      path: expect.stringMatching(/bad\.csv:2$/),
    });
    expect(Object.keys(saidIn((await read('bad.csv', bad, { skipBad: true })).dataset))).toEqual([
      'b r c',
      'c r a',
    ]);
  });

  it('is of held-out facts, too, and comes back from the folder of the data set', async () => {
    const rows = Array.from({ length: 60 }, (_, i) => `e${i % 7},r${i % 2},e${(i * 5) % 11},s${i % 3}\n`);
    const { dataset } = await read('many.csv', `head,relation,tail,source\n${rows.join('')}`, {
      holdOut: 0.1,
    });
    const facts = (dataset.train.length + dataset.valid.length + dataset.test.length) / 3;
    expect(dataset.valid.length).toBeGreaterThan(0);
    expect(dataset.provenances?.places).toHaveLength(facts);
    const path = join(folder, 'written');
    await writeDataset(path, dataset);
    expect((await readDataset(path)).provenances).toEqual(dataset.provenances);
    await writeFile(join(path, 'provenance.tsv'), '0\tx\t\t\t\t\n0\t0\t9999\t0\n');
    await expect(readDataset(path)).rejects.toMatchObject({
      code: 'data',
      path: expect.stringContaining('provenance.tsv:2'),
    });
  });
});
