import { presets } from '@fuzzqe/train';
import { expect, it } from 'vitest';
import { createSweep, enterSweep } from './open-sweep.ts';
import { trialKeys } from './store/trial-keys.ts';
import { sweepStatus } from './sweep-status.ts';
import { memoryStore } from './testing/memory-store.ts';

it('reads 16 trials at once, and tells them in their order', async () => {
  const { store } = memoryStore();
  const data = { name: 'tiny', sha256: '', queries: {} };
  const parameters = { 'optimiser.learningRate': { uniform: [0.001, 0.01] } } as const;
  const objective = { metric: 'mrr', direction: 'maximize' } as const;
  const draw = { strategy: 'random', trials: 40, seed: 1, budget: {} } as const;
  const file = { ...draw, data: 'data', parameters, objective };
  await enterSweep(store, createSweep(file, presets.countries.training, data));
  for (let trial = 0; trial < 40; trial += 1) await store.write(trialKeys.claim(trial, 1), '{}');
  let [now, most] = [0, 0];
  const { trials } = await sweepStatus({
    ...store,
    async read(key) {
      now += 1;
      most = Math.max(most, now);
      await new Promise(setImmediate);
      now -= 1;
      return store.read(key);
    },
  });
  expect(trials.map(({ trial }) => trial)).toEqual(Array.from({ length: 40 }, (_, trial) => trial));
  expect(most).toBe(16);
});
