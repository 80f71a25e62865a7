import { createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { createDataset } from '../index.ts';
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
});
