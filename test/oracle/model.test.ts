import { describe, expect, it } from 'vitest';
import { allChoices, blockChoices, oracleCase } from './cases.ts';
import { differences } from './compare.ts';
import * as product from './product.ts';

describe('core in float64', () => {
  it.each([...allChoices, ...blockChoices])(
    'says what the oracle says: $relationForm, $logic, $mapping, $entityMapping, $entityNormalisation, $projectionInput, $score',
    async (choices) => {
      expect(await differences(product, oracleCase(choices, 'model'))).toEqual([]);
    },
  );
});
