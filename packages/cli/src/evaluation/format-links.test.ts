import { createVocabulary } from '@fuzzqe/names';
import type { ComparedModel } from '@fuzzqe/pipeline';
import { expect, it } from 'vitest';
import { formatLinks } from './format-links.ts';

const names = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: `r${i}`, label: `rel ${i}` }));
const vocabulary = createVocabulary({ entities: names(2), relations: names(20) });
const figures = (mrr: number) => ({ mrr, hits1: 0, hits3: 0, hits10: 0, queries: 3, answers: 7 });
const model = (name: string, mrr: readonly number[]): ComparedModel => ({
  ...{ name, metrics: { structures: {} }, strata: {} },
  links: {
    relations: mrr.map((each, relation) => ({ relation, ...figures(each) })),
    halves: [{ known: 'tail', share: 1, ...figures(0.25) }],
  },
});

it('has each model beside the others, and says how many relations it leaves out', () => {
  const rising = Array.from({ length: 40 }, (_, i) => i / 100);
  const text = formatLinks([model('rules', [0.5]), model('FuzzQE', rising)], vocabulary, 'text');
  expect(text).toMatch(/^rel 0 +7 +50\.0 +0\.0$/m);
  expect(text).toMatch(/^rel 0\^-1 +7 +– +1\.0$/m);
  expect(text).toContain('10 relations with a higher MRR are not shown');
  expect(text).toMatch(/^tail alone +100\.0 +25\.0 +25\.0$/m);
  expect(text).not.toContain('rel 16');
  expect(formatLinks([model('FuzzQE', [0.5])], vocabulary, 'text')).not.toContain('not shown');
});

it('says where there is nothing to tell', () => {
  const { links: _, ...without } = model('FuzzQE', []);
  expect(formatLinks([without], vocabulary, 'text')).toMatch(/no 1p queries/);
});
