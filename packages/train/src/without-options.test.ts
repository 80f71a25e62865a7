import { expect, it } from 'vitest';
import * as exported from './index.ts';

it.each<readonly [name: string, call: (options: never) => unknown, path: string]>([
  ['runTraining', exported.runTraining, 'directory'],
  ['train', exported.train, 'model'],
  ['evaluateRanking', exported.evaluateRanking, 'queries'],
  ['fitCalibration', exported.fitCalibration, 'queries'],
  ['openSetsScorer', exported.openSetsScorer, 'model'],
])('%s refuses to be called without its options', async (name, call, path) => {
  const outcome = async (options: unknown): Promise<unknown> =>
    // Callers without types can call so.
    call(options as never);
  await expect(outcome(undefined)).rejects.toMatchObject({
    ...{
      name: 'FuzzError',
      code: 'usage',
      path: '$',
      hint: expect.stringContaining(`${name} needs an object with `),
    },
    message: `options of ${name}: expected an object, got nothing`,
  });
  await expect(outcome('x')).rejects.toThrow(`options of ${name}: expected an object, got "x"`);
  await expect(outcome({})).rejects.toMatchObject({ name: 'FuzzError', code: 'usage', path: `$.${path}` });
});
