import { createRandom } from '@fuzzqe/core';
import { createSetLogic, recordedState } from '@fuzzqe/core/sets';
import { efo1Types, loadCountries, samplePatterns } from '@fuzzqe/data';
import { evaluatePatterns } from '@fuzzqe/train';
import { expect, it } from 'vitest';
import { patternRanker } from './pattern-ranker.ts';

it('finds every answer on the facts that give it, and no hard answer on the facts that do not', async () => {
  const { trainValid, full } = loadCountries().graphs();
  const random = createRandom('ranker');
  const options = { type: efo1Types['3c'], count: 6, smaller: trainValid, larger: full, random };
  const patterns = await samplePatterns(options);
  const mrr = async (facts: typeof full): Promise<number> => {
    const rank = patternRanker(recordedState(facts, { logic: createSetLogic('product') }), {
      ...{ links: 1e5, width: facts.entityCount },
    });
    const report = await evaluatePatterns({ patterns, rank, entityCount: facts.entityCount });
    return report['3c']!.mrr;
  };
  expect(await mrr(full)).toBe(1);
  expect(await mrr(trainValid)).toBeLessThan(0.01);
});
