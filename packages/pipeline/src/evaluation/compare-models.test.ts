import { structures } from '@fuzzqe/core/query';
import { createDataset, type SampledQueries } from '@fuzzqe/data';
import { createVocabulary } from '@fuzzqe/names';
import { expect, it } from 'vitest';
import { compareModels } from './compare-models.ts';

it('has baselines that know the validation facts from which easy answers of test queries follow', async () => {
  const [a, b, c, d, x] = [0, 1, 2, 3, 4];
  const [r, s] = [0, 2];
  const named = (key: string) => ({ key, label: key });
  const dataset = createDataset({
    name: 'small',
    licence: 'unknown',
    description: '',
    vocabulary: createVocabulary({
      entities: ['a', 'b', 'c', 'd', 'x'].map(named),
      relations: ['r', 's'].map(named),
    }),
    // What s leads to is c and d alike, and r to d alone: that r leads from a to c, the validation facts say.
    train: Int32Array.of(x, r, d, x, s, c, x, s, d),
    valid: Int32Array.of(a, r, c),
    test: Int32Array.of(b, s, c),
  });
  const query: SampledQueries<string> = {
    structure: '2i',
    shape: structures['2i'],
    count: 1,
    anchors: Int32Array.of(a, b),
    relations: Int32Array.of(r, s),
    easy: { ids: new Int32Array(), offsets: Int32Array.of(0, 0) },
    hard: { ids: Int32Array.of(c), offsets: Int32Array.of(0, 1) },
  };
  const mrr = async (split: 'valid' | 'test'): Promise<number> => {
    const { columns } = await compareModels({ dataset, split, queries: [query], models: [] });
    return columns.find(({ name }) => name === 'known facts')!.metrics.structures['2i']!.mrr;
  };
  expect(await mrr('test')).toBe(1);
  expect(await mrr('valid')).toBeLessThan(1);
});
