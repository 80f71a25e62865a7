import { describe, expect, it } from 'vitest';
import { allChoices, oracleCase } from './cases.ts';
import { differences } from './compare.ts';
import * as product from './product.ts';

describe('core in float64', () => {
  it.each(allChoices)(
    'says what the oracle says: $logic, $mapping, $entityMapping, $entityNormalisation, $projectionInput, $score',
    async (choices) => {
      expect(await differences(product, oracleCase(choices, 'model'))).toEqual([]);
    },
  );
});
