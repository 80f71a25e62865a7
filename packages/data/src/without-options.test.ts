import { expect, it } from 'vitest';
import * as exported from './index.ts';

/** What callers without types may leave out. */
const missing = undefined as never;

it.each<readonly [name: string, call: (options: never) => unknown, path: string]>([
  ['createDataset', exported.createDataset, 'name'],
  ['importDataset', exported.importDataset, 'name'],
  ['importPath', (options) => exported.importPath('facts.tsv', options), 'name'],
  ['importBetaE', exported.importBetaE, 'name'],
  ['importQuerySet', exported.importQuerySet, 'folder'],
  ['downloadDataset', exported.downloadDataset, 'name'],
  ['splitTriples', (options) => exported.splitTriples(missing, options), 'entityCount'],
  ['sampleQuerySets', (options) => exported.sampleQuerySets(missing, options), 'sizes'],
  ['sampleQueries', exported.sampleQueries, 'structure'],
  ['enumerateProjections', exported.enumerateProjections, 'smaller'],
  ['createSamplingPool', exported.createSamplingPool, 'graphs'],
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
