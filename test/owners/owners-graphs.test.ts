import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asEntityId, asRelationId, createRandom } from '@fuzzqe/core';
import { type Dataset, importPath } from '@fuzzqe/data';
import { declaredAxioms } from '@fuzzqe/evidence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnersGraph, owners, ownersText } from '../../bench/owners/index.mjs';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-owners-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The graph of an owner, imported as its owner would. */
async function imported(name: OwnersGraph): Promise<Dataset> {
  const path = join(folder, owners[name].file);
  await writeFile(path, ownersText(name, 1));
  const { dataset, duplicates } = await importPath(path, { name });
  expect(duplicates).toBe(0);
  return dataset;
}

/** The pairs of each relation of a data set, by its key. */
function pairsOf({ vocabulary, train, valid, test }: Dataset): Map<string, [head: string, tail: string][]> {
  const pairs = new Map<string, [string, string][]>();
  const entity = (id: number): string => vocabulary.entity(asEntityId(id)).key;
  for (const part of [train, valid, test])
    for (let i = 0; i < part.length; i += 3) {
      const { key } = vocabulary.relation(asRelationId(part[i + 1]!));
      const all = pairs.get(key) ?? [];
      all.push([entity(part[i]!), entity(part[i + 2]!)]);
      pairs.set(key, all);
    }
  return pairs;
}

describe.each(['family', 'museum', 'films'] as const)('the graph of owners: %s', (name) => {
  it('is the same for a seed, and another one for another', () => {
    expect(ownersText(name, 1)).toBe(ownersText(name, 1));
    expect(ownersText(name, 1)).not.toBe(ownersText(name, 2));
  });
});

describe('families', () => {
  it('have facts that follow from each other, and nobody in relation to themselves', async () => {
    const dataset = await imported('family');
    const pairs = pairsOf(dataset);
    const said = new Set([...pairs].flatMap(([key, all]) => all.map(([a, b]) => `${a} ${key} ${b}`)));
    const of = (key: string): [string, string][] => pairs.get(key) ?? [];
    for (const key of ['spouse', 'sibling'])
      for (const [a, b] of of(key)) {
        expect(said.has(`${b} ${key} ${a}`)).toBe(true);
        expect(a).not.toBe(b);
      }
    for (const [child, parent] of of('parent')) expect(said.has(`${parent} child ${child}`)).toBe(true);
    const [home, sex] = [new Map(of('lives_in')), new Map(of('sex'))];
    for (const [a, b] of of('spouse')) {
      expect(home.get(a)).toBe(home.get(b));
      expect(sex.get(a)).not.toBe(sex.get(b));
    }
    const place = new Map(of('located_in'));
    for (const [person, company] of of('works_for')) expect(place.get(company)).toBe(home.get(person));
    expect(home.size).toBeGreaterThanOrEqual(1450);
    expect(home.size).toBeLessThanOrEqual(1550);
  });

  it('are as many as were asked for', () => {
    const lines = owners.family.make(createRandom('few'), { people: 200 }).split('\n');
    const people = lines.filter((line) => line.includes('\tsex\t')).length;
    expect(people).toBeGreaterThanOrEqual(200);
    expect(people).toBeLessThan(204);
  });
});

describe('the museum', () => {
  it('declares its axioms in Turtle, with labels', async () => {
    const dataset = await imported('museum');
    const { vocabulary } = dataset;
    expect(vocabulary.entityCount).toBeGreaterThanOrEqual(700);
    expect(vocabulary.entityCount).toBeLessThanOrEqual(900);
    const kinds = declaredAxioms(dataset.graphs().full, vocabulary).map(({ kind }) => kind);
    const count = (kind: string): number => kinds.filter((each) => each === kind).length;
    expect(count('subClassOf')).toBe(10);
    expect(count('inverseOf')).toBe(2);
    expect(count('symmetric')).toBe(1);
    const labels = Array.from(
      { length: vocabulary.entityCount },
      (_, id) => vocabulary.entity(asEntityId(id)).label,
    );
    expect(labels).toContain('Artwork 520');
    const pairs = pairsOf(dataset);
    // Each is said in one of its directions.
    const made = [...pairs].filter(([key]) => key.endsWith('createdBy') || key.endsWith('creatorOf'));
    expect(made.map(([, all]) => all.length).reduce((a, b) => a + b)).toBe(520);
    expect(made.every(([, all]) => all.length > 200)).toBe(true);
  });
});

describe('films', () => {
  it('have genres, a director, a country and a decade, and people like them', async () => {
    const dataset = await imported('films');
    expect(dataset.vocabulary.entityCount).toBeGreaterThanOrEqual(600);
    expect(dataset.vocabulary.entityCount).toBeLessThanOrEqual(900);
    const pairs = pairsOf(dataset);
    for (const key of ['directed by', 'made in', 'released in']) expect(pairs.get(key)?.length).toBe(400);
    expect(new Set(pairs.get('has genre')?.map(([film]) => film)).size).toBe(400);
    expect(new Set(pairs.get('likes')?.map(([person]) => person)).size).toBe(280);
  });
});
