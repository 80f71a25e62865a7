import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attributesOf, noAttributes } from '@fuzzqe/names';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportOptions, importDataset, peekPath, readDataset, writeDataset } from '../index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-attributes-'));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
/** What a file says of its first entity, by the folder that is written of it; and the counts. */
async function read(content: string, ending: string, more: Partial<ImportOptions> = {}) {
  const train = join(folder, `f${files}.${ending}`);
  await writeFile(train, content);
  const { dataset, ...counts } = await importDataset({ name: 'x', train, holdOut: 0, ...more });
  const path = join(folder, `d${files++}`);
  await writeDataset(path, dataset);
  const { attributes = noAttributes } = await readDataset(path);
  return { train, dataset, counts, attributes, values: attributesOf(attributes, 0) };
}

const xsd = 'http://www.w3.org/2001/XMLSchema#';
const fact = '<http://x/a> <http://x/r> <http://x/b> .\n';
const line = (property: string, value: string): string => `<http://x/a> <http://x/${property}> ${value} .\n`;
const typed = (text: string, datatype: string): string => `"${text}"^^<${datatype}>`;

describe('literals of RDF', () => {
  it.each([
    ['1', `${xsd}integer`, 'number', ''],
    ['-0.5', `${xsd}decimal`, 'number', ''],
    ['NaN', `${xsd}double`, 'number', ''],
    ['-INF', `${xsd}float`, 'number', ''],
    ['1e400', `${xsd}double`, 'number', ''],
    ['NaN', `${xsd}integer`, 'text', `${xsd}integer`],
    ['much', `${xsd}decimal`, 'text', `${xsd}decimal`],
    ['2024-02-29', `${xsd}date`, 'date', ''],
    ['-0044-03-15', `${xsd}date`, 'date', ''],
    ['12024-12-31Z', `${xsd}date`, 'date', ''],
    ['2023-02-29', `${xsd}date`, 'text', `${xsd}date`],
    ['2023-13-01', `${xsd}date`, 'text', `${xsd}date`],
    ['2023-01-01T25:00:00', `${xsd}dateTime`, 'text', `${xsd}dateTime`],
    ['2023-01-01T23:59:59.5+01:00', `${xsd}dateTime`, 'date', ''],
    ['1969', `${xsd}gYear`, 'date', ''],
    ['true', `${xsd}boolean`, 'boolean', ''],
    ['yes', `${xsd}boolean`, 'text', `${xsd}boolean`],
    ['x', `${xsd}string`, 'text', ''],
    ['300', 'http://dbpedia.org/datatype/euro', 'number', 'http://dbpedia.org/datatype/euro'],
    ['POINT(1 2)', 'http://x/wkt', 'text', 'http://x/wkt'],
  ])('%s of %s is a %s', async (text, datatype, type, unit) => {
    const { values } = await read(fact + line('p', typed(text, datatype)), 'nt');
    expect(values).toEqual([{ key: 'http://x/p', label: 'p', type, language: '', unit, value: text }]);
  });

  const many =
    fact +
    line('height', typed('1.5', `${xsd}double`)) +
    line('motto', '"Hallo"@de') +
    line('motto', '"Hello"@en') +
    line('motto', '"Hello"@en') +
    `<http://x/nobody> <http://x/height> "2" .\n` +
    `<http://x/height> <http://www.w3.org/2000/01/rdf-schema#label> "has height" .\n`;

  it('are typed columns with their labels, each value once, of entities only', async () => {
    const { attributes, values, counts } = await read(many, 'nt');
    expect(counts).toMatchObject({ attributes: 3, literals: 1 });
    expect(attributes.columns.map(({ label, type, language }) => [label, type, language])).toEqual([
      ['has height', 'number', ''],
      ['motto', 'text', 'de'],
      ['motto', 'text', 'en'],
    ]);
    expect(values.map(({ value }) => value)).toEqual(['1.5', 'Hallo', 'Hello']);
    expect(attributesOf(attributes, 1)).toEqual([]);
  });

  it('are left out where that is asked for, and counted', async () => {
    const { attributes, counts } = await read(many, 'nt', { attributes: false });
    expect(counts).toMatchObject({ attributes: 0, literals: 5 });
    expect(attributes).toBe(noAttributes);
  });

  it('come from every form of RDF', async () => {
    const value = { key: 'http://x/age', label: 'age', type: 'number', language: '', unit: '', value: '3' };
    const forms: readonly (readonly [string, string])[] = [
      ['ttl', '@prefix : <http://x/> . :a :r :b ; :age 3 .'],
      ['trig', '@prefix : <http://x/> . :g { :a :r :b ; :age 3 }'],
      ['nq', `${fact}<http://x/a> <http://x/age> "3"^^<${xsd}integer> <http://x/g> .\n`],
      [
        'jsonld',
        JSON.stringify({
          '@context': { '@vocab': 'http://x/' },
          '@id': 'http://x/a',
          r: { '@id': 'http://x/b' },
          age: 3,
        }),
      ],
      [
        'rdf',
        `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://x/"><rdf:Description rdf:about="http://x/a"><r rdf:resource="http://x/b"/><age rdf:datatype="${xsd}integer">3</age></rdf:Description></rdf:RDF>`,
      ],
    ];
    for (const [ending, content] of forms) expect((await read(content, ending)).values).toEqual([value]);
  });

  it('of JSON-LD are texts in their language, too', async () => {
    const p = ['plain', { '@value': 'Haus', '@language': 'de' }];
    const { values } = await read(
      JSON.stringify({
        '@context': { '@vocab': 'http://x/' },
        '@id': 'http://x/a',
        r: { '@id': 'http://x/b' },
        p,
      }),
      'jsonld',
    );
    expect(values.map(({ type, language, value }) => [type, language, value])).toEqual([
      ['text', '', 'plain'],
      ['text', 'de', 'Haus'],
    ]);
  });

  it('come back whatever they hold', async () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        'a\tb',
        'a\nb',
        '\r',
        '\\',
        '"',
        '\u202Eabc',
        'שלום',
        '👩‍👩‍👧',
        '',
        'x'.repeat(100_000),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(hostile, { maxLength: 6 }), async (texts) => {
        const lines = texts.map((text) => line('p', `"${text.replace(/["\\\n\r]/g, (c) => escapes[c]!)}"`));
        const { values } = await read(fact + lines.join(''), 'nt');
        expect(values.map(({ value }) => value)).toEqual(texts);
      }),
      { numRuns: 40 },
    );
  });

  it('are in the order of entities, also when there are more than memory holds of them', async () => {
    const count = 30_000;
    const name = (i: number): string => `<http://x/e${i}>`;
    const facts = Array.from(
      { length: count },
      (_, i) => `${name(i)} <http://x/r> ${name((i + 1) % count)} .\n`,
    );
    const mixed = Array.from({ length: count }, (_, i) => (i * 7919) % count);
    const lines = mixed.map((i) => `${name(i)} <http://x/p> "value ${i}, and more of it" .\n`);
    const { attributes, counts, dataset } = await read([...lines, ...facts].join(''), 'nt');
    expect(counts.attributes).toBe(count);
    for (const id of [0, 1, 12_345, count - 1])
      expect(attributesOf(attributes, id)).toMatchObject([
        { value: `value ${dataset.vocabulary.entity(id).key.slice('http://x/e'.length)}, and more of it` },
      ]);
  });

  it('are refused when they are longer than a text may be', async () => {
    const ofJson = (text: string): string =>
      JSON.stringify({
        '@context': { '@vocab': 'http://x/' },
        '@id': 'http://x/a',
        r: { '@id': 'http://x/b' },
        p: text,
      });
    for (const [content, ending] of [
      [fact + line('p', `"${'x'.repeat(17 << 20)}"`), 'nt'],
      [ofJson('x'.repeat(17 << 20)), 'jsonld'],
    ] as const)
      await expect(read(content, ending)).rejects.toMatchObject({
        code: 'data',
        message: expect.stringContaining('expected at most 16777216 bytes'),
        hint: expect.stringContaining('FUZZQE_MAX_LINE_MIB'),
      });
  });
});

describe('quantities', () => {
  const prefixes = `@prefix : <http://x/> . @prefix qudt: <http://qudt.org/schema/qudt/> .
@prefix unit: <http://qudt.org/vocab/unit/> . @prefix wikibase: <http://wikiba.se/ontology#> .
@prefix wd: <http://www.wikidata.org/entity/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n`;
  const area =
    ':hall :area [ qudt:numericValue 12.5 ; qudt:unit unit:M2 ; rdfs:label "size"@en ] ; :in :house .\n';

  it('of Wikidata have the unit that their node names, by its label', async () => {
    const { attributes, values } = await read(
      `${prefixes}:v wikibase:quantityAmount 1.96 ; wikibase:quantityUpperBound 2 ; wikibase:quantityUnit wd:Q11573 ; :n 3 .
:w wikibase:quantityAmount 7 ; wikibase:quantityUnit wd:Q199 . wd:Q11573 rdfs:label "metre"@en .`,
      'ttl',
    );
    expect(values.map(({ value, unit }) => [value, unit])).toEqual([
      ['1.96', 'metre'],
      ['2', 'metre'],
      ['3', ''],
    ]);
    // Q199 says that a number has no unit.
    expect(attributes.columns.map(({ unit }) => unit)).toEqual(['metre', 'metre', '', '']);
  });

  it('of contracted blank nodes are attributes of the path, with their unit and other literals', async () => {
    const { values, counts } = await read(prefixes + area, 'ttl', { contractBlank: true });
    const said = values.map(({ label, value, unit, language }) => [label, value, unit, language].join('|'));
    expect(said.sort()).toEqual(['area/label|size||en', 'area/numericValue|12.5|M2|']);
    expect(counts).toMatchObject({ attributes: 2, literals: 0 });
  });

  it('of blank nodes that no path leads to are left out, and counted', async () => {
    const lone = `${prefixes}:a :r :b . [] qudt:numericValue 1 ; :age 2 .`;
    expect((await read(lone, 'ttl', { contractBlank: true })).counts).toMatchObject({
      ...{ attributes: 0, literals: 2, blankNodes: 0 },
    });
  });
});

describe('columns of a table', () => {
  const table =
    'film,director,length (min),released,colour\nAlien,Scott,117,1979-05-25,true\nBrazil,Gilliam,142,,\n';

  it('of numbers, dates and booleans are attributes, with units that titles give', async () => {
    const { values, counts, train } = await read(table, 'csv', { table: 'film' });
    expect(values.map(({ label, type, unit, value }) => [label, type, unit, value])).toEqual([
      ['length (min)', 'number', 'min', '117'],
      ['released', 'date', '', '1979-05-25'],
      ['colour', 'boolean', '', 'true'],
    ]);
    expect(counts).toMatchObject({ attributes: 4, literals: 0 });
    expect(counts.notes.join('\n')).toContain('4 numbers, dates and booleans are attributes');
    expect(await peekPath(train, { table: 'film' })).toMatchObject([{ attributes: 4 }]);
  });

  it('keep a cell that is no number as a text, and tell the line of the first', async () => {
    const weights = Array.from({ length: 20 }, (_, i) => `P${i},${i === 0 || i === 9 ? 'n/a' : i},DE`);
    const text = `part,weight,country\n${weights.join('\n')}\n`;
    const { values, counts, dataset } = await read(text, 'csv', { table: 'part' });
    expect(values).toMatchObject([{ label: 'weight', type: 'text', value: 'n/a' }]);
    expect(counts.attributes).toBe(20);
    expect(dataset.vocabulary.findEntity('DE')).toBeDefined();
    expect(() => dataset.vocabulary.findEntity('n/a')).toThrow();
    expect(counts.notes.join('\n')).toMatch(/:2: weight has numbers.*"n\/a" here: 2 such cells are kept/);
    // A column of names with a few numbers stays one of names.
    const light = text.replaceAll(/,\d+,/g, ',light,');
    const names = await read(light, 'csv', { table: 'part' });
    expect(names.dataset.vocabulary.findEntity('n/a')).toBeDefined();
  });

  it('are left out where that is asked for', async () => {
    const { attributes, counts } = await read(table, 'csv', { table: 'film', attributes: false });
    expect(attributes).toBe(noAttributes);
    expect(counts.literals).toBe(4);
    expect(counts.notes.join('\n')).toContain('left out 4 numbers');
  });
});

it('values of a damaged folder are refused when they are asked for', async () => {
  const { dataset } = await read(fact + line('p', '"x"'), 'nt');
  const path = join(folder, 'damaged');
  await writeDataset(path, dataset);
  await writeFile(join(path, 'attribute-values.tsv'), '0\t7\tx\n');
  const { attributes = noAttributes } = await readDataset(path);
  expect(() => attributesOf(attributes, 0)).toThrow(expect.objectContaining({ code: 'data' }));
  await writeFile(join(path, 'attributes.tsv'), '0\thttp://x/p\tp\tcolour\t\t\n');
  await expect(readDataset(path)).rejects.toMatchObject({
    code: 'data',
    path: expect.stringMatching(/attributes\.tsv:1$/),
  });
});

const escapes: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r' };
