import { describe, expect, it } from 'vitest';
import { profileTolerances, tolerancesOf } from './tolerances.ts';

describe('tolerances', () => {
  it.each(['product', 'godel'] as const)('are those of the table in %s logic, whatever λ is', (logic) => {
    for (const negationLambda of [0, 10])
      expect(tolerancesOf('int8', logic, { negationLambda })).toEqual(profileTolerances.int8);
  });

  it('of degrees in Łukasiewicz logic grow with what ¬ makes of rounding', () => {
    const { degree, ...others } = tolerancesOf('fp32', 'lukasiewicz', { negationLambda: 10 });
    expect(degree).toEqual({
      absolute: 11 * profileTolerances.fp32.degree.absolute,
      relative: profileTolerances.fp32.degree.relative,
    });
    expect(others).toEqual({
      embedding: profileTolerances.fp32.embedding,
      score: profileTolerances.fp32.score,
    });
  });

  it('of a profile that this version does not know are those of fp32', () => {
    expect(tolerancesOf('fp8', 'product', { negationLambda: 0 })).toEqual(profileTolerances.fp32);
  });
});
