import * as core from '@fuzzqe/core';
import * as data from '@fuzzqe/data';
import * as bundles from '@fuzzqe/export';
import { createVocabulary } from '@fuzzqe/names';
import * as pipeline from '@fuzzqe/pipeline';
import * as sweep from '@fuzzqe/sweep';
import * as training from '@fuzzqe/train';
import { describe, expect, it } from 'vitest';

/** What callers without types may leave out. */
const missing = undefined as never;

type Call = (options: never) => unknown;

/** What becomes of a call whose options have another type, as callers without types can make it. */
const outcome = async (call: Call, options: unknown): Promise<unknown> => call(options as never);

describe('a function that is called without its options', () => {
  it.each<readonly [name: string, call: Call, path: string]>([
    ['createDataset', data.createDataset, 'name'],
    ['importDataset', data.importDataset, 'name'],
    ['importPath', (options) => data.importPath('facts.tsv', options), 'name'],
    ['importBetaE', data.importBetaE, 'name'],
    ['importQuerySet', data.importQuerySet, 'folder'],
    ['downloadDataset', data.downloadDataset, 'name'],
    ['splitTriples', (options) => data.splitTriples(missing, options), 'entityCount'],
    ['sampleQuerySets', (options) => data.sampleQuerySets(missing, options), 'sizes'],
    ['sampleQueries', data.sampleQueries, 'structure'],
    ['enumerateProjections', data.enumerateProjections, 'smaller'],
    ['createSamplingPool', data.createSamplingPool, 'graphs'],
    ['runTraining', training.runTraining, 'directory'],
    ['train', training.train, 'model'],
    ['evaluateRanking', training.evaluateRanking, 'queries'],
    ['exportBundle', bundles.exportBundle, 'directory'],
    ['writeHubBundle', bundles.writeHubBundle, 'source'],
    ['writeTritonRepository', bundles.writeTritonRepository, 'source'],
    ['inVersionFolder', (options) => bundles.inVersionFolder(options, missing), 'repository'],
    ['calibrateRun', pipeline.calibrateRun, 'run'],
    ['openCalibration', pipeline.openCalibration, 'run'],
    ['compareModels', pipeline.compareModels, 'dataset'],
    ['ensembleRuns', pipeline.ensembleRuns, 'runs'],
    ['exportRun', pipeline.exportRun, 'run'],
    ['openRun', (options) => pipeline.openRun('run', options), 'trained'],
    ['openRunAsSets', (options) => pipeline.openRunAsSets('run', options), 'facts'],
    ['runSweep', sweep.runSweep, 'store'],
    ['createSweep', (options) => sweep.createSweep(options, missing, missing), 'parameters'],
    ['s3Store', (options) => sweep.s3Store(options), 'bucket'],
  ])('%s says what it misses', async (name, call, path) => {
    const refused = { name: 'FuzzError', code: 'usage' };
    await expect(outcome(call, undefined)).rejects.toMatchObject({
      ...{ ...refused, path: '$', hint: expect.stringContaining(`${name} needs an object with `) },
      message: `options of ${name}: expected an object, got nothing`,
    });
    await expect(outcome(call, 'x')).rejects.toThrow(`options of ${name}: expected an object, got "x"`);
    await expect(outcome(call, {})).rejects.toMatchObject({ ...refused, path: `$.${path}` });
  });

  it.each<readonly [name: string, call: Call]>([
    ['createKnowledgeGraph', core.createKnowledgeGraph],
    ['createVocabulary', createVocabulary],
  ])('%s says so of its data', async (name, call) => {
    const refused = { name: 'FuzzError', code: 'data' };
    await expect(outcome(call, undefined)).rejects.toMatchObject({
      ...{ ...refused, path: '$', hint: `${name} needs an object.` },
      message: `options of ${name}: expected an object, got nothing`,
    });
    await expect(outcome(call, 'x')).rejects.toMatchObject({
      message: `options of ${name}: expected an object, got "x"`,
    });
    await expect(outcome(call, {})).rejects.toMatchObject(refused);
  });
});
