import { expect, it } from 'vitest';
import { defaultTraining, isLinksAlone } from './default-training.ts';
import { presets } from './presets.ts';

it('is the preset for any graph, which on large graphs compares a link with some entities alone', () => {
  const small = defaultTraining(2 ** 15);
  expect(small).toEqual(presets.links.training);
  const large = defaultTraining(2 ** 15 + 1);
  expect([small.negatives.kind, large.negatives.kind]).toEqual(['all', 'shared']);
  const { negatives, answers, targets, steps, validation } = small;
  expect({ ...large, negatives, answers, targets, steps, validation }).toEqual(small);
});

it('needs no sampled queries, as presets with other structures do', () => {
  expect([defaultTraining(10), presets.countries.training].map(isLinksAlone)).toEqual([true, false]);
});
