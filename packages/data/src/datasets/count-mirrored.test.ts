import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportedDataset, importDataset } from '../index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-mirrored-'));
});
afterAll(() => rm(folder, { recursive: true }));

type Fact = readonly [head: string, relation: string, tail: string];

async function importing(
  parts: Record<'train' | 'valid' | 'test', readonly Fact[]>,
): Promise<ImportedDataset> {
  const path = (part: string): string => join(folder, `${part}.tsv`);
  for (const [part, facts] of Object.entries(parts))
    await writeFile(path(part), facts.map((fact) => `${fact.join('\t')}\n`).join(''));
  return importDataset({ name: 'x', train: path('train'), valid: path('valid'), test: path('test') });
}

const numbers = (count: number, from = 0): number[] => Array.from({ length: count }, (_, i) => from + i);
const has = numbers(60).map((i): Fact => [`a${i}`, 'hasPart', `b${i}`]);
const isPart = has.map(([head, , tail]): Fact => [tail, 'partOf', head]);
const other: readonly Fact[] = [
  ['a0', 'partOf', 'a1'],
  ['a1', 'hasPart', 'a2'],
];
const valid: readonly Fact[] = [['a3', 'hasPart', 'a4']];

describe('held-out facts that an earlier part states the other way round', () => {
  it('are counted and told where the inverse is evident', async () => {
    const { mirrored, notes } = await importing({ train: [...has, ...other], valid, test: isPart });
    expect(mirrored).toBe(60);
    expect(notes).toEqual([
      expect.stringMatching(
        /^60 of 60 test facts stand in an earlier part the other way round \(partOf and hasPart\)/,
      ),
    ]);
  });

  it('are counted of one relation that holds both ways, and of validation facts in the test', async () => {
    const there = numbers(20).map((i): Fact => [`a${i}`, 'borders', `b${i}`]);
    const back = there.map(([head, relation, tail]): Fact => [tail, relation, head]);
    const { mirrored, notes } = await importing({
      train: [...there.slice(0, 10), ...there.slice(10).map(([head, , tail]): Fact => [head, 'near', tail])],
      valid: [...back.slice(0, 5), ...there.slice(10, 20)],
      test: back.slice(10),
    });
    expect(mirrored).toBe(10);
    expect(notes[0]).toContain('10 of 10 test facts');
    expect(notes[0]).toContain('borders both ways');
  });

  it('are counted, however few, where the graph declares the inverse', async () => {
    const iri = (name: string): string => `http://www.w3.org/2002/07/owl#${name}`;
    const axiom: Fact = ['partOf', iri('inverseOf'), 'hasPart'];
    const { mirrored } = await importing({
      train: [...has, ...other, axiom],
      valid,
      test: [...isPart.slice(0, 2), ['a7', 'partOf', 'a9']],
    });
    expect(mirrored).toBe(2);
  });

  it('are none where few mirrors are chance, or facts hold the same way round', async () => {
    const chance = await importing({
      train: [...has, ...other],
      valid,
      test: [...isPart.slice(0, 4), ...numbers(30).map((i): Fact => [`a${i}`, 'partOf', `a${i + 1}`])],
    });
    expect([chance.mirrored, chance.notes]).toEqual([0, []]);
    const same = await importing({
      train: [...has, ...other],
      valid,
      test: has.map(([head, , tail]): Fact => [head, 'partOf', tail]),
    });
    expect(same.mirrored).toBe(0);
  });
});
