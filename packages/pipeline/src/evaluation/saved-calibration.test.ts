import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultProjection } from '@fuzzqe/core/sets';
import { tinyDataset } from '@fuzzqe/data/testing';
import { defaultWeights } from '@fuzzqe/evidence';
import { readRunState } from '@fuzzqe/train';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeUntrainedRun } from '../testing/write-untrained-run.ts';
import {
  readSavedCalibration,
  readSavedRules,
  type SavedCalibration,
  saveCalibration,
} from './saved-calibration.ts';

const dataset = tinyDataset('saved', 1);
const { train } = dataset.graphs();
let run = '';
let calibration: SavedCalibration;
beforeEach(async () => {
  run = await mkdtemp(join(tmpdir(), 'fuzzqe-saved-'));
  await writeUntrainedRun(run, dataset);
  calibration = {
    checkpoint: (await readRunState(run)).best!.sha256,
    projection: { ...defaultProjection, support: 0.2 },
    fitted: { links: 3, candidates: 90, found: 2, knownShare: 0.5 },
    reliability: {
      links: { count: 2, found: 1, ece: 0.1, bins: [{ count: 2, stated: 0.6, found: 0.5 }] },
      answers: null,
    },
    weights: defaultWeights(train.relationCount, { temperature: 5, typeRelations: [0] }),
    rules: {
      relationCount: train.relationCount,
      rules: [{ kind: 'path', relation: 0, path: [1], hits: 3, predictions: 4 }],
    },
  };
});
afterEach(() => rm(run, { recursive: true, force: true }));

describe('a calibration in the folder of a run', () => {
  it('is read as it was written, and is that of its checkpoint alone', async () => {
    expect(await readSavedCalibration(run)).toBeUndefined();
    expect(await readSavedRules(run, train)).toBeUndefined();
    await saveCalibration(run, calibration, train);
    expect(await readSavedCalibration(run)).toEqual(calibration);
    expect(await readSavedRules(run, train)).toEqual(calibration.rules);
    await writeUntrainedRun(run, dataset, 2);
    expect(await readSavedCalibration(run)).toBeUndefined();
    expect(await readSavedCalibration(run, calibration.checkpoint)).toEqual(calibration);
  });

  it.each([
    [3, 'the calibration was made by an earlier version, whose degrees were no probabilities'],
    [5, 'not a calibration'],
  ])('of version %d is refused with what to do', async (version, message) => {
    const path = await saveCalibration(run, calibration, train);
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), version }));
    await expect(readSavedCalibration(run)).rejects.toMatchObject({
      ...{ code: 'checkpoint', path, message },
      hint: expect.stringContaining('fuzzqe calibrate'),
    });
  });

  it.each([
    ['calibration.json', 'checkpoint'],
    ['evidence.json', 'bundle'],
    ['rules.tsv', 'data'],
  ])('with a damaged %s is refused', async (name, code) => {
    await saveCalibration(run, calibration, train);
    await writeFile(join(run, name), (await readFile(join(run, name), 'utf8')).slice(2));
    await expect(readSavedCalibration(run)).rejects.toMatchObject({ code });
  });

  it('without its rules or weights is refused', async () => {
    await saveCalibration(run, calibration, train);
    await rm(join(run, 'evidence.json'));
    await expect(readSavedCalibration(run)).rejects.toMatchObject({ name: 'FuzzError' });
    await saveCalibration(run, calibration, train);
    await rm(join(run, 'rules.tsv'));
    await expect(readSavedCalibration(run)).rejects.toMatchObject({
      code: 'checkpoint',
      path: join(run, 'rules.tsv'),
    });
  });
});
