import { expect, it } from 'vitest';
import * as exported from './index.ts';

/** What callers without types may leave out. */
const missing = undefined as never;

it.each<readonly [name: string, call: (options: never) => unknown, path: string]>([
  ['calibrateRun', exported.calibrateRun, 'run'],
  ['openCalibration', exported.openCalibration, 'run'],
  ['compareModels', exported.compareModels, 'dataset'],
  ['ensembleRuns', exported.ensembleRuns, 'runs'],
  ['exportRun', exported.exportRun, 'run'],
  ['openRun', (options) => exported.openRun('run', options), 'trained'],
  ['openRunAsSets', (options) => exported.openRunAsSets('run', options), 'facts'],
  ['runSweep', exported.runSweep, 'store'],
  ['createSweep', (options) => exported.createSweep(options, missing, missing), 'parameters'],
  ['s3Store', (options) => exported.s3Store(options), 'bucket'],
])('%s refuses to be called without its options', async (name, call, path) => {
  const outcome = async (options: unknown): Promise<unknown> =>
    // Callers without types can call so.
    call(options as never);
  await expect(outcome(missing)).rejects.toMatchObject({
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
