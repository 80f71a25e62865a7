import { loadCountries } from '@fuzzqe/data';
import { createVocabulary } from '@fuzzqe/names';
import { expect, it } from 'vitest';
import { trainingConfig } from './training-config.ts';

it('compares with no more entities than there are, where a preset is named', async () => {
  const names = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ key: `n${i}`, label: `n${i}` }));
  const vocabulary = createVocabulary({ entities: names(40), relations: names(2) });
  const small = { ...loadCountries(), vocabulary };
  expect((await trainingConfig('gqe', small)).negatives).toMatchObject({ kind: 'shared', count: 40 });
  expect((await trainingConfig('gqe', loadCountries())).negatives.count).toBe(128);
  expect((await trainingConfig('links', small)).negatives.kind).toBe('all');
});
