import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aliasesOf } from '@fuzzqe/names';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportOptions, importDataset, readDataset, writeDataset } from '../index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-names-'));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
async function file(content: string, ending = 'ttl'): Promise<string> {
  const path = join(folder, `f${files++}.${ending}`);
  await writeFile(path, content);
  return path;
}

async function importTurtle(content: string, more: Partial<ImportOptions> = {}) {
  return importDataset({ name: 'x', train: await file(prefixes + content), holdOut: 0, ...more });
}

const prefixes = `@prefix : <http://x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix schema: <http://schema.org/> .
`;
const netherlands = `:nl :borders :de ; rdfs:label "Netherlands"@en, "Niederlande"@de ; skos:altLabel "Holland"@en ;
  schema:alternateName "NL" ; schema:description "a country"@en, "ein Land"@de ; rdfs:comment "flat"@en .
`;

describe('names that differ only by white space', () => {
  it('are told, of entities and of relations', async () => {
    const told = async (text: string): Promise<string[]> => {
      const { notes } = await importDataset({ name: 'x', train: await file(text, 'tsv'), holdOut: 0 });
      return notes.filter((note) => note.includes('white space'));
    };
    expect(await told('Ann\tknows\tBob B\nAnn \tknows\tBob\u00a0B\nBob\tknows \tAnn\n')).toEqual([
      'entities that differ only by white space: 2 names, such as "Ann " and "Ann"; each spelling is kept as one of its own',
      'relations that differ only by white space: one name, such as "knows " and "knows"; each spelling is kept as one of its own',
    ]);
    expect(await told('Ann \tknows\tBob  B\nBobB\tknows\tAnn \n')).toEqual([]);
  });
});

describe('a file of nodes', () => {
  const read = async (nodes: string, ending: string) => {
    const train = await file('a\tr\tb\n', 'tsv');
    const entities = await file(nodes, ending);
    const { dataset, notes, unusedNames } = await importDataset({ name: 'x', train, entities, holdOut: 0 });
    return { a: dataset.vocabulary.entity(0), notes: notes.join('\n'), unusedNames };
  };

  it.each([
    ['tsv', 'id\tcategory\tname\tdescription\na\tGene\tAnn\tfirst\nb\tGene\t\t\n', 'first'],
    ['csv', 'person:ID(P),name:string,:LABEL\na,"Ann",Person\nb,Bob,Person\n', undefined],
    ['tsv', 'id\tname\tkind\na\tAnn\tGene\nb\tBob\tGene\n', undefined],
  ])('gives names by its titles: %s', async (ending, nodes, description) => {
    const { a, notes, unusedNames } = await read(nodes, ending);
    expect(a).toEqual({ key: 'a', label: 'Ann', ...(description === undefined ? {} : { description }) });
    expect(notes).toContain('took line 1 for titles: ');
    expect(unusedNames).toEqual([]);
  });

  it('has no names where its titles give types alone', async () => {
    await expect(read(':ID,:LABEL\na,Person\n', 'csv')).rejects.toThrow(
      'name: expected two or three columns',
    );
  });

  it('keeps the first name of a key, and says how many follow', async () => {
    const { a, notes } = await read('id\tname\na\tAnn\na\tBob\n', 'tsv');
    expect([a.label, notes]).toEqual(['Ann', expect.stringContaining('lines that name a key again: 1')]);
    await expect(read('id\tname\n\tAnn\n', 'tsv')).rejects.toThrow('key: expected one, got none');
  });
});

describe('names of RDF', () => {
  it('are all kept, with the label and description of the language asked for first', async () => {
    for (const [language, label, description, others] of [
      ['en', 'Netherlands', 'a country', ['label de Niederlande', 'description de ein Land']],
      ['de', 'Niederlande', 'ein Land', ['label en Netherlands', 'description en a country']],
    ] as const) {
      const { dataset, literals } = await importTurtle(netherlands, { language });
      const { vocabulary } = dataset;
      expect(vocabulary.entity(0)).toEqual({ key: 'http://x/nl', label, description });
      const further = aliasesOf(vocabulary.aliases, 0).map((row) => Object.values(row).join(' '));
      expect(further.sort()).toEqual(
        [...others, 'alias en Holland', 'alias  NL', 'description en flat'].sort(),
      );
      expect(literals).toBe(0);
      expect(aliasesOf(vocabulary.aliases, 1)).toEqual([]);
      expect(vocabulary.searchEntities('Holland').results[0]?.key).toBe('http://x/nl');
    }
  });

  it('stand in the folder of the data set', async () => {
    const { dataset } = await importTurtle(netherlands);
    await writeDataset(join(folder, 'kept'), dataset);
    const { vocabulary } = await readDataset(join(folder, 'kept'));
    expect([...vocabulary.aliases.texts()]).toEqual([...dataset.vocabulary.aliases.texts()]);
    expect(vocabulary.searchEntities('Niederlande').results[0]?.key).toBe('http://x/nl');
    await writeFile(join(folder, 'kept', 'aliases.tsv'), '7\talias\t\tx\n');
    const damaged = await readDataset(join(folder, 'kept'));
    expect(() => damaged.vocabulary.searchEntities('x')).toThrow(
      expect.objectContaining({ code: 'data', path: expect.stringContaining('aliases.tsv:1') }),
    );
  });

  it('are those of entities only, each once', async () => {
    const { dataset } = await importTurtle(
      `${netherlands}:nobody rdfs:label "Nobody" ; skos:altLabel "None" . :de skos:altLabel "D", "D"@en . :de skos:altLabel "D" .`,
    );
    expect(aliasesOf(dataset.vocabulary.aliases, 1).map(({ language }) => language)).toEqual(['', 'en']);
    expect([...dataset.vocabulary.aliases.texts()].join('')).not.toContain('None');
  });

  it('come back whatever they hold', async () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.constantFrom('a\tb', 'a\nb', 'a\r', '\\n', '"', '\u202Eabc', 'שלום', '👩‍👩‍👧', 'x'.repeat(100_000)),
    );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(hostile, { minLength: 1, maxLength: 5 }), async (given) => {
        const texts = given.filter((text) => text.trim() !== '');
        const lines = texts.map(
          (text) => `<http://x/a> <http://www.w3.org/2004/02/skos/core#altLabel> ${literal(text)} .\n`,
        );
        const train = await file(`<http://x/a> <http://x/r> <http://x/b> .\n${lines.join('')}`, 'nt');
        const { dataset } = await importDataset({ name: 'x', train, holdOut: 0 });
        const kept = aliasesOf(dataset.vocabulary.aliases, 0).map(({ text }) => text);
        expect(kept).toEqual(texts.filter((text) => text !== dataset.vocabulary.entity(0).label));
      }),
      { numRuns: 50 },
    );
  });
});

describe('two files that disagree on a label', () => {
  it('are told, with the one that is kept', async () => {
    const train = await file(`${prefixes}:a :r :b . :b :r :a . :a rdfs:label "A"@en .`);
    const other = await file(`${prefixes}:b :r :b . :a rdfs:label "Not A"@en, "A"@en .`);
    const third = await file(`${prefixes}:b :r :b .`);
    const { dataset, notes } = await importDataset({ name: 'x', train, valid: other, test: third });
    expect(notes.join('\n')).toContain(
      `${train} and ${other} disagree on 1 labels: "A" is kept for http://x/a, "Not A" is a further name`,
    );
    expect(dataset.vocabulary.entity(0).label).toBe('A');
    expect(aliasesOf(dataset.vocabulary.aliases, 0)).toEqual([
      { kind: 'label', language: 'en', text: 'Not A' },
    ]);
    const same = await file(`${prefixes}:b :r :b . :a rdfs:label "A"@en, "Ä"@de .`);
    expect((await importDataset({ name: 'x', train, valid: same, test: same })).notes).toEqual([]);
  });

  it('are told of a file of names, too', async () => {
    const entities = await file('http://x/nl\tHolland\n', 'tsv');
    const { dataset, notes } = await importTurtle(netherlands, { entities });
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain(`"Holland" is kept for http://x/nl, "Netherlands" is a further name`);
    const { vocabulary } = dataset;
    expect(vocabulary.entity(0)).toMatchObject({ label: 'Holland', description: 'a country' });
    expect(aliasesOf(vocabulary.aliases, 0)).toContainEqual({
      kind: 'label',
      language: '',
      text: 'Netherlands',
    });
  });
});

/** A literal of N-Triples. */
function literal(text: string): string {
  const escapes: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r' };
  return `"${text.replace(/["\\\n\r]/g, (character) => escapes[character]!)}"`;
}
