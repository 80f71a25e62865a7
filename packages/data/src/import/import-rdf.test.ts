import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importDataset } from '../index.ts';

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

describe('Turtle', () => {
  it('gives the facts between entities, with labels in the language asked for', async () => {
    const train = await file('a.ttl', turtle);
    const empty = await file('b.ttl', `@prefix : <http://example.org/> .\n${heldOut}`);
    for (const [language, berlin, germany] of [
      ['en', 'Berlin (city)', 'Deutschland'],
      ['de', 'Berlin', 'Deutschland'],
    ] as const) {
      const { dataset, literals, repeated } = await importDataset({
        name: 'x',
        train,
        valid: empty,
        test: empty,
        labelLanguage: language,
      });
      const { vocabulary } = dataset;
      expect(dataset.train.length / 3).toBe(4);
      expect({ literals, repeated }).toEqual({ literals: 1, repeated: 2 });
      expect(vocabulary.entity(0)).toEqual({ key: 'http://example.org/berlin', label: berlin });
      expect(vocabulary.findEntity('_:someone')).toBe(3);
      expect(vocabulary.entity(1).label).toBe(germany);
      expect(vocabulary.relation(0).label).toBe('is capital of');
      expect(dataset.origin).toEqual({ format: 'turtle', inverses: 'added' });
    }
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
