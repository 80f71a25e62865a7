import { createRandom } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { createDataset, parseStructure } from '../index.ts';
import { tinyDataset } from '../testing/tiny-dataset.ts';
import { sampleQuerySets } from './query-sets.ts';

const random = createRandom('query sets');
const whole = tinyDataset('tiny', 1);
/** The same graph without test facts, as NELL995 is often passed on. */
const untested = createDataset({ ...whole, test: new Int32Array(0) });

describe('query sets', () => {
  it('are refused before any sampling where no facts are held out for one of them', async () => {
    let progress = 0;
    const sampling = sampleQuerySets(untested, {
      sizes: { train: 20, valid: 5, test: 5 },
      random,
      onProgress: () => {
        progress += 1;
      },
    });
    await expect(sampling).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('no test facts'),
      hint: expect.stringContaining('--test 0'),
    });
    expect(progress).toBe(0);
  });

  it('leave out a set of which no queries are asked for', async () => {
    const sets = await sampleQuerySets(untested, { sizes: { train: 20, valid: 5, test: 0 }, random });
    expect(sets.test).toEqual([]);
    expect(sets.valid).toHaveLength(14);
    const full = await sampleQuerySets(whole, { sizes: { train: 20, valid: 5, test: 5 }, random });
    expect(full.valid).toEqual(sets.valid);
    expect(full.test).toHaveLength(14);
  });

  /** A ring of one relation: every entity has one edge in and one out. */
  const ring = (count: number, heldOut: number) => {
    const names = Array.from({ length: count }, (_, i) => ({ key: `n${i}`, label: `n${i}` }));
    const facts = Array.from({ length: count }, (_, i) => [i, 0, (i + 1) % count]);
    const part = (from: number, to?: number) => Int32Array.from(facts.slice(from, to).flat());
    return createDataset({
      name: 'ring',
      licence: 'unknown',
      description: '',
      vocabulary: createVocabulary({ entities: names, relations: [{ key: 'next', label: 'next' }] }),
      train: part(2 * heldOut),
      valid: part(0, heldOut),
      test: part(heldOut, 2 * heldOut),
    });
  };

  it('name the structures that a small graph has no query of, and go without them', async () => {
    const sizes = { train: 5, valid: 3, test: 3 };
    const own = [parseStructure('fork = and(project(?r1, ?a1), project(?r2, ?a2), project(?r3, ?a3))')];
    const { train, valid, test, missing } = await sampleQuerySets(ring(12, 2), { sizes, random, own });
    expect(train.map(({ structure }) => structure)).toEqual(['2p', '3p', '2i']);
    for (const part of [...train, ...valid, ...test]) expect(part.count).toBeGreaterThan(0);
    expect(missing.train).toEqual(['3i', '2in', '3in', 'inp', 'pin', 'pni']);
    expect(missing.valid).toEqual(expect.arrayContaining(['3i', 'fork']));
    expect([...valid.map(({ structure }) => structure), ...missing.valid]).toHaveLength(15);
  });

  it('are refused where the graph gives no query at all', async () => {
    const single = createDataset({ ...ring(2, 0), train: Int32Array.of(0, 0, 1) });
    await expect(
      sampleQuerySets(single, { sizes: { train: 5, valid: 0, test: 0 }, random }),
    ).rejects.toMatchObject({ code: 'data', message: expect.stringContaining('no train query of any') });
  });
});
