import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashDataset, importDataset, readDataset, writeDataset } from '../index.ts';
import { buildingTurtle } from '../testing/index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-rdf-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

const turtle = `@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:berlin :capitalOf :germany ;
  rdfs:label "Berlin"@de, "Berlin (city)"@en ;
  :population 3700000 .
:germany a :Country ; rdfs:label "Deutschland"@de .
:capitalOf rdfs:label "is capital of"@en-GB .
_:someone :livesIn :berlin, :germany .
`;
const heldOut = ':berlin <http://example.org/capitalOf> :germany .';

describe('RDF without a fact between two entities', () => {
  const prefix = '@prefix : <http://example.org/> .\n';
  it.each([
    ['literals', ':a :b "1", "2" .\n', 'Left out: 2 with a literal as object.'],
    [
      'blank nodes too',
      ':a :b "1" .\n_:x :b :a .\n',
      /1 with a literal as object and 1 with a blank node\..*--skip-blank/,
    ],
    ['nothing', '', /^A fact is a triple between two entities; labels and prefixes are none\.$/],
  ])('is refused by what it holds: %s', async (_, triples, hint) => {
    const train = await file('none.ttl', prefix + triples);
    await expect(importDataset({ name: 'x', train, skipBlank: true })).rejects.toMatchObject({
      ...{ code: 'data', path: train, message: 'triples: expected at least one, got none' },
      hint: typeof hint === 'string' ? expect.stringContaining(hint) : expect.stringMatching(hint),
    });
  });

  it('is told from tables, whose columns are named as they are', async () => {
    for (const [name, hint] of [
      ['none.tsv', 'A line is: head TAB relation TAB tail.'],
      ['none.csv', 'A line is: head,relation,tail. All of the file is 2 lines of comments.'],
    ] as const) {
      const train = await file(name, name.endsWith('csv') ? '#\n# b\n' : '');
      await expect(importDataset({ name: 'x', train, comment: '#' })).rejects.toMatchObject({ hint });
    }
  });
});

describe('Turtle', () => {
  it('gives the facts between entities, with labels in the language asked for', async () => {
    const train = await file('a.ttl', turtle);
    const empty = await file('b.ttl', `@prefix : <http://example.org/> .\n${heldOut}`);
    for (const [language, berlin, germany] of [
      ['en', 'Berlin (city)', 'Deutschland'],
      ['de', 'Berlin', 'Deutschland'],
    ] as const) {
      const { dataset, attributes, literals, repeated } = await importDataset({
        name: 'x',
        train,
        valid: empty,
        test: empty,
        language: language,
      });
      const { vocabulary } = dataset;
      expect(dataset.train.length / 3).toBe(4);
      expect({ attributes, literals, repeated }).toEqual({ attributes: 1, literals: 0, repeated: 2 });
      expect(vocabulary.entity(0)).toEqual({ key: 'http://example.org/berlin', label: berlin });
      expect(vocabulary.findEntity('_:someone')).toBe(3);
      expect(vocabulary.entity(1).label).toBe(germany);
      expect(vocabulary.relation(0).label).toBe('is capital of');
      expect(dataset.origin).toEqual({ format: 'turtle', inverses: 'added' });
    }
  });

  it('keeps the labels that it has of what a file of names does not name', async () => {
    const train = await file('labelled.ttl', turtle);
    const entities = await file('some.tsv', 'http://example.org/berlin\tMy Berlin\n');
    const { vocabulary } = (await importDataset({ name: 'x', train, entities })).dataset;
    expect([0, 1].map((id) => vocabulary.entity(id).label)).toEqual(['My Berlin', 'Deutschland']);
  });

  it('is refused by the line of a statement that lacks its full stop', async () => {
    const of = 'http://example.org/';
    const train = await file('stop.nt', `<${of}a> <${of}r> <${of}b> .\n<${of}a> <${of}r> "x" \n`);
    await expect(importDataset({ name: 'x', train })).rejects.toMatchObject({
      path: `${train}:2`,
      hint: expect.stringContaining('Each statement ends with a full stop.'),
    });
  });

  it('is refused with the line of what cannot be read', async () => {
    const train = await file(
      'bad.ttl',
      '@prefix : <http://example.org/> .\n:a :b :c .\n:a :b :d ;;; .\n:a "x" :c .\n',
    );
    await expect(importDataset({ name: 'x', train })).rejects.toMatchObject({
      code: 'data',
      path: `${train}:4`,
      message: expect.stringContaining('RDF: '),
    });
  });

  it('is refused where a prefix stands for what is no IRI', async () => {
    const train = await file('prefix.ttl', '@prefix : <;;; http://x/> .\n:a :b :c .\n');
    await expect(importDataset({ name: 'x', train })).rejects.toMatchObject({
      code: 'data',
      path: `${train}:1`,
      message: expect.stringContaining('RDF: '),
    });
    const cut = await file('cut.ttl', '@prefix : <;;;http://x/> .\n:a :b :c .\n@prefix');
    await expect(importDataset({ name: 'x', train: cut })).rejects.toMatchObject({ code: 'data' });
  });

  it('names the line of a held-out fact about what is not known', async () => {
    const train = await file('a.ttl', turtle);
    const valid = await file(
      'v.ttl',
      `@prefix : <http://example.org/> .\n\n:berlin :capitalOf\n  :prussia .\n`,
    );
    await expect(importDataset({ name: 'x', train, valid, test: valid })).rejects.toMatchObject({
      path: `${valid}:4`,
      message: expect.stringContaining('"http://example.org/prussia"'),
    });
  });

  it('is refused when it holds literals only', async () => {
    const train = await file('l.ttl', '<http://a> <http://b> "c" .');
    await expect(importDataset({ name: 'x', train })).rejects.toThrow('at least one, got none');
  });
});

it('a file of prefixes beside as many names is read in seconds', async () => {
  const count = 40_000;
  const prefix = Array.from({ length: count }, (_, i) => `@prefix p${i}: <http://x/${i}> .\n`);
  const facts = Array.from(
    { length: count },
    (_, i) => `<http://y/${i}> <http://y/r> <http://y/${i + 1}> .\n`,
  );
  const train = await file('prefixes.ttl', [...prefix, ...facts].join(''));
  const start = process.cpuUsage();
  const { dataset } = await importDataset({ name: 'x', train });
  // Of the processor, in microseconds: a busy machine is no failure.
  expect(process.cpuUsage(start).user).toBeLessThan(20_000_000);
  expect(dataset.vocabulary.entityCount).toBe(count + 1);
}, 60_000);

describe('N-Triples', () => {
  const line = (i: number): string =>
    `<http://example.org/é${i % 700}> <http://example.org/r${i % 3}> <http://example.org/${(i * 7) % 900}> . # ${i}\n`;

  it('are read across blocks, zipped or not', async () => {
    const text = Array.from({ length: 30_000 }, (_, i) => line(i)).join('');
    const plain = (await importDataset({ name: 'x', train: await file('a.nt', text) })).dataset;
    const zipped = (await importDataset({ name: 'x', train: await file('a.nt.gz', gzipSync(text)) })).dataset;
    expect(zipped.train).toEqual(plain.train);
    expect(plain.vocabulary.entity(0).key).toBe('http://example.org/é0');
    expect(plain.vocabulary.relationCount).toBe(6);
  });

  it('are refused where they are Turtle, by the line', async () => {
    const train = await file('t.nt', `${line(1)}${line(2)}@prefix : <http://example.org/> .\n`);
    await expect(importDataset({ name: 'x', train })).rejects.toMatchObject({ path: `${train}:3` });
  });
});

describe('N-Quads', () => {
  const quads =
    '<http://x/a> <http://x/r> <http://x/b> <http://x/g1> .\n' +
    '<http://x/a> <http://x/r> <http://x/b> <http://x/g2> .\n' +
    '<http://x/b> <http://x/r> _:c .\n' +
    '<http://x/b> <http://www.w3.org/2004/02/skos/core#prefLabel> "Bee"@en _:g .\n';

  it('are read without the names of graphs, zipped or not', async () => {
    for (const train of [await file('a.nq', quads), await file('b.nq.gz', gzipSync(quads))]) {
      const { dataset, namedGraphs, duplicates, literals } = await importDataset({ name: 'x', train });
      expect({ namedGraphs, duplicates, literals }).toEqual({ namedGraphs: 3, duplicates: 1, literals: 0 });
      expect(dataset.vocabulary.entity(1).label).toBe('Bee');
      expect(dataset.origin?.format).toBe('nquads');
    }
  });

  it('are refused where the file should be N-Triples', async () => {
    const train = await file('q.nt', quads);
    await expect(importDataset({ name: 'x', train })).rejects.toMatchObject({ path: `${train}:1` });
  });
});

describe('an ontology with restrictions, lists and labels of every kind', () => {
  const read = async (more: object = {}) =>
    importDataset({ name: 'x', train: await file('building.ttl', buildingTurtle), skipBlank: true, ...more });
  const ex = 'http://example.org';

  it('loses the triples with blank nodes where it is asked to, and no others', async () => {
    const { dataset, blankNodes, blankEntities, attributes, literals } = await read();
    expect({ blankNodes, blankEntities, attributes, literals }).toEqual({
      blankNodes: 14,
      blankEntities: 0,
      attributes: 1,
      literals: 0,
    });
    expect(
      [dataset.train, dataset.valid, dataset.test].reduce((sum, { length }) => sum + length / 3, 0),
    ).toBe(12);
    const all = await read({ skipBlank: false });
    expect(all.blankNodes).toBe(0);
    expect(all.blankEntities).toBe(5);
    // Restriction, nil, the lift and, as the object of a fact, partOf are named with blank nodes only.
    expect(all.dataset.vocabulary.entityCount).toBe(dataset.vocabulary.entityCount + 5 + 4);
  });

  it('has labels by language, then property, then unique local names', async () => {
    const labels = async (language: string): Promise<Record<string, string>> => {
      const { vocabulary } = (await read({ language, skipBlank: false })).dataset;
      const entries = Array.from({ length: vocabulary.entityCount }, (_, id) => vocabulary.entity(id));
      return Object.fromEntries(entries.map(({ key, label }) => [key, label]));
    };
    expect(await labels('en')).toMatchObject({
      [`${ex}/kinds/Room`]: 'room',
      [`${ex}/kinds/Floor`]: 'storey',
      [`${ex}/kinds/Place`]: 'place',
      [`${ex}/site/rooms/Library`]: 'the library',
      [`${ex}/site/rooms/Entrance%20hall`]: 'Entrance hall',
      [`${ex}/site/rooms/100%25%zz`]: '100%25%zz',
      [`${ex}/site#Library`]: 'Library',
      [`${ex}/site#Lift`]: 'lift',
      [`${ex}/site#Stair`]: `${ex}/site#Stair`,
      [`${ex}/site/rooms/Stair`]: `${ex}/site/rooms/Stair`,
      [`${ex}/site#storey`]: `${ex}/site#storey`,
      '_:lift': '_:lift',
      '_:.0': '_:.0',
    });
    expect(await labels('de')).toMatchObject({
      [`${ex}/kinds/Room`]: 'Raum',
      [`${ex}/kinds/Floor`]: 'Etage',
      [`${ex}/site#Lift`]: 'Aufzug',
      [`${ex}/site#storey`]: 'storey',
    });
  });

  it('has its relations and prefixes, in the folder, too', async () => {
    const { dataset } = await read();
    const { vocabulary } = dataset;
    expect([0, 2, 4, 6].map((id) => vocabulary.relation(id).label)).toEqual([
      'subClassOf',
      'type',
      'is part of',
      'near',
    ]);
    const prefixes = [
      ['rdfs', 'http://www.w3.org/2000/01/rdf-schema#'],
      ['site', `${ex}/site#`],
      ['room', `${ex}/site/rooms/`],
      ['kind', `${ex}/kinds/`],
      ['rdf', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'],
    ];
    expect([...vocabulary.prefixes]).toEqual(prefixes);
    await writeDataset(join(folder, 'building'), dataset);
    const back = (await readDataset(join(folder, 'building'))).vocabulary;
    expect([...back.prefixes]).toEqual(prefixes);
    expect(back.findEntity('site:Ground%20floor')).toBe(vocabulary.findEntity('Ground floor'));
  });

  it('is the same each time in one process, and its nodes without names are no others', async () => {
    const [one, other] = [await read({ skipBlank: false }), await read({ skipBlank: false })];
    expect(hashDataset(other.dataset)).toBe(hashDataset(one.dataset));
    const train = await file('n.ttl', '@prefix : <http://x/> . :a :r [ :r :b ] . _:n3-0 :r :b . :b :r :a .');
    expect((await importDataset({ name: 'x', train })).dataset.vocabulary.entityCount).toBe(4);
    const valid = await file('v.ttl', '@prefix : <http://x/> . [] :r :b .');
    await expect(importDataset({ name: 'x', train, valid, test: valid })).rejects.toThrow('got "_:.1"');
  });

  it('is refused where nothing is left of it', async () => {
    const train = await file('b.ttl', '@prefix : <http://x/> . :a :r [ :r :b ] .');
    await expect(importDataset({ name: 'x', train, skipBlank: true })).rejects.toMatchObject({
      hint: expect.stringContaining('blank node'),
    });
  });
});
