import { describe, expect, it } from 'vitest';
import { compareWithReference, contractCases, trainingTolerances } from '../testing/training-contract.ts';
import { tfjsRuntime } from './tfjs-runtime.ts';

describe.each(['cpu', 'wasm'] as const)('%s', (name) => {
  for (const each of contractCases)
    it(`equals the float64 reference after 20 steps: ${each.name}`, async () => {
      const found = await compareWithReference(tfjsRuntime(name), each, 20);
      expect(found.firstLoss).toBeLessThan(trainingTolerances.firstLoss);
      expect(found.loss).toBeLessThan(trainingTolerances.loss);
      expect(found.state, found.where).toBeLessThan(trainingTolerances.state);
    });
});
