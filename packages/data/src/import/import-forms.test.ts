import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportOptions, importDataset } from '../index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-forms-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The facts of a file as texts, `http://x/` left out. */
async function read(name: string, content: string, more: Partial<ImportOptions> = {}) {
  const train = join(folder, name);
  await writeFile(train, content);
  const { dataset, notes, ...counts } = await importDataset({ name: 'x', train, holdOut: 0, ...more });
  const { vocabulary, train: triples } = dataset;
  const facts: string[] = [];
  for (let i = 0; i < triples.length; i += 3) {
    const [head, tail] = [vocabulary.entity(triples[i]!), vocabulary.entity(triples[i + 2]!)];
    facts.push([head, vocabulary.relation(triples[i + 1]!), tail].map(({ key }) => key).join(' '));
  }
  return { facts: facts.map((fact) => fact.replaceAll('http://x/', '')).sort(), notes, counts, vocabulary };
}

const prefix = '@prefix : <http://x/> .\n';

describe('forms of RDF', () => {
  it('TriG is Turtle with named graphs', async () => {
    const { facts, counts } = await read('a.trig', `${prefix}:a :r :b . :g { :b :r :c . :c :r "x" }`);
    expect(facts).toEqual(['a r b', 'b r c']);
    expect(counts).toMatchObject({ namedGraphs: 2, attributes: 1, literals: 0 });
  });

  it('RDF/XML has entities, collections and labels', async () => {
    const xml = `<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [ <!ENTITY x "http://x/"> ]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns="http://x/" xml:base="http://x/">
  <rdf:Description rdf:about="&x;a"><r rdf:resource="b"/><rdfs:label>Ä</rdfs:label><age>3</age></rdf:Description>
  <rdf:Description rdf:about="b"><r rdf:nodeID="n"/></rdf:Description>
</rdf:RDF>`;
    const { facts, counts, vocabulary } = await read('a.owl', xml);
    expect(facts).toEqual(['a r b', 'b r _:n']);
    expect(counts.attributes).toBe(1);
    expect(vocabulary.entity(0).label).toBe('Ä');
    await expect(read('bad.rdf', `${xml.slice(0, -30)}\n<`)).rejects.toMatchObject({
      code: 'data',
      path: expect.stringMatching(/bad\.rdf:\d+$/),
    });
    await expect(read('turtle.rdf', `${prefix}:a :r :b .`)).rejects.toMatchObject({ code: 'data' });
  });

  it('RDF/XML may have entities that others are declared by, if they stay short', async () => {
    const xml = (entities: string): string =>
      `<!DOCTYPE rdf:RDF [ <!ENTITY p "http://x/"> <!ENTITY q '&p;way#'> ${entities} ]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:q="&q;">
<rdf:Description rdf:about="&q;a"><q:r rdf:resource="&q;b"/></rdf:Description></rdf:RDF>`;
    const { vocabulary } = await read('entities.rdf', xml(''));
    expect(vocabulary.entity(0).key).toBe('http://x/way#a');
    expect(vocabulary.relation(0).key).toBe('http://x/way#r');
    const bomb = Array.from(
      { length: 12 },
      (_, i) => `<!ENTITY e${i} "${i === 0 ? 'ha' : `&e${i - 1};&e${i - 1};`}&p;">`,
    );
    await expect(read('bomb.rdf', xml(bomb.join(' ')))).rejects.toThrow('XML: expected entities of at most');
  });

  it('JSON-LD has its context in the file, and nothing is fetched', async () => {
    const of = (context: unknown): string =>
      JSON.stringify({ '@context': context, '@id': 'a', r: { '@id': 'b' }, age: 3 });
    const { facts, counts } = await read('a.jsonld', of({ '@vocab': 'http://x/', '@base': 'http://x/' }));
    expect(facts).toEqual(['a r b']);
    expect(counts.attributes).toBe(1);
    await expect(read('remote.jsonld', of('http://127.0.0.1:1/context'))).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('expected a context in the file'),
    });
    for (const text of ['{', '[1', 'text', ''])
      await expect(read('bad.jsonld', text)).rejects.toMatchObject({ code: 'data' });
  });

  it('relative IRIs are relative to the file, or to what is said', async () => {
    const text = '<#me> <http://x/r> </inbox/> . <> a <http://x/Ontology> .';
    const { facts } = await read('base.ttl', text);
    const file = pathToFileURL(join(folder, 'base.ttl')).href;
    expect(facts).toContain(`${file}#me r file:///inbox/`);
    expect((await read('base.ttl', text, { base: 'http://y/z' })).facts).toContain(
      'http://y/z#me r http://y/inbox/',
    );
    await expect(read('base.ttl', text, { base: 'y' })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('what facts are said about', () => {
  it('is left out and told, and the facts stay', async () => {
    const text = `${prefix}:a :r :b {| :source :web ; :since 2020 |} . << :b :r :c >> :source :web .`;
    const { facts, counts, notes } = await read('star.ttl', text);
    expect(facts).toEqual(['a r b']);
    expect(counts.annotations).toBe(5);
    expect(notes.join()).toContain('left out 5 triples about statements');
  });

  it('is refused where it is no RDF, with the one reason', async () => {
    const formula = read('bad.nq', '<http://x/a> <http://x/r> ?b .\n');
    await expect(formula).rejects.toMatchObject({ code: 'data' });
  });
});

describe('blank nodes', () => {
  const text = `${prefix}:a :r1 [ :r2 :c ; :r3 [ :r4 :d ] ; :age 3 ] . :a :r :c . _:x :r1 :a . _:y :r1 _:y . :a :r1 _:y .`;

  it('are contracted to relations of two steps and more', async () => {
    const { facts, counts, vocabulary } = await read('blank.ttl', text, { contractBlank: true });
    expect(facts).toEqual(['a r c', 'a r1/r2 c', 'a r1/r3/r4 d'].sort());
    expect(counts).toMatchObject({ blankNodes: 3, blankEntities: 0 });
    expect(vocabulary.findRelation('r1/r2')).toBeDefined();
    const skipped = await read('blank.ttl', text, { skipBlank: true });
    expect(skipped.facts).toEqual(['a r c']);
    await expect(read('blank.ttl', text, { skipBlank: true, contractBlank: true })).rejects.toMatchObject({
      code: 'usage',
    });
  });
});

describe('names', () => {
  it('of a relation of Wikidata are those of its property', async () => {
    const { vocabulary } = await read(
      'wd.ttl',
      `@prefix wd: <http://www.wikidata.org/entity/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> .
       @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . wd:Q1 wdt:P31 wd:Q2 .
       wd:P31 <http://wikiba.se/ontology#directClaim> wdt:P31 ; rdfs:label "instance of"@en , "ist ein"@de .`,
    );
    expect(vocabulary.relation(0)).toMatchObject({
      key: 'http://www.wikidata.org/prop/direct/P31',
      label: 'instance of',
    });
  });
});

describe('bad lines of N-Triples', () => {
  const good = (i: number): string => `<http://x/a${i}> <http://x/r> <http://x/b> .\n`;
  const text = `${good(0)}<http://x/a> <http://x/r> .\n${good(1)}no triple\n${good(2)}<http://x/a> <http://x/r> <http://x/b>\n${good(3)}`;

  it('are told together, and passed over where that is asked for', async () => {
    await expect(read('bad.nt', text)).rejects.toMatchObject({
      path: join(folder, 'bad.nt:2'),
      message: expect.stringContaining('the first of 3 bad lines'),
      hint: expect.stringMatching(/bad\.nt:4: .*\n.*bad\.nt:6: /),
    });
    const { facts, counts } = await read('bad.nt', text, { skipBad: true });
    expect(facts).toEqual(['a0 r b', 'a1 r b', 'a2 r b', 'a3 r b']);
    expect(counts.badLines).toBe(3);
  });
});
