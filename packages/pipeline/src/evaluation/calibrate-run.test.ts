import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { loadCountries, sampleQuerySets } from '@fuzzqe/data';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportRun } from '../export-run.ts';
import { writeUntrainedRun } from '../testing/write-untrained-run.ts';
import { calibrateRun } from './calibrate-run.ts';
import { readSavedCalibration } from './saved-calibration.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-calibrate-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('a large graph is calibrated on a part, and its bundle says on how many entities', async () => {
  const dataset = loadCountries({ seed: 1 });
  const { train } = dataset.graphs();
  const { entityCount: entities, relationCount: relations } = train;
  const run = join(folder, 'run');
  await writeUntrainedRun(run, dataset);
  const { valid } = await sampleQuerySets(dataset, {
    sizes: { train: 0, valid: 2, test: 0 },
    random: createRandom('large'),
  });
  const task = { run, dataset, queries: { parts: valid, sha256: '0'.repeat(64) }, each: 2, threads: 1 };
  const large = { manyEntities: entities - 1, entitiesOfPart: Math.floor(entities / 2) };
  const { calibration } = await calibrateRun({ ...task, ...large });
  expect(calibration.fitted).toMatchObject({ entities: large.entitiesOfPart });
  expect(calibration.fitted!.each).toBeGreaterThanOrEqual(1);
  expect(calibration.fitted!.each).toBeLessThanOrEqual(2);
  // Where a structure has no place, the minimum is not that of the others.
  await expect(calibrateRun({ ...task, ...large, entitiesOfPart: 20 })).rejects.toMatchObject({
    message: expect.stringMatching(/expected queries of every structure among 20 entities, got none of /),
    hint: expect.stringContaining('entitiesOfPart'),
  });
  expect(calibration.partitions).toHaveLength(relations);
  expect(calibration.probability!.test).not.toBeNull();
  const kept = await readSavedCalibration(run);
  expect(kept!.fitted).toEqual(calibration.fitted);
  const directory = join(folder, 'bundle');
  await exportRun({
    ...{ run, dataset, directory, calibration: kept!, valid: [], name: 'large', metrics: {}, seed: 1 },
    profiles: ['fp32'],
  });
  const { sets } = JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8'));
  expect(sets.fitted).toEqual(calibration.fitted);
  // At the bound itself the whole graph is taken, and nothing is said of a part.
  const whole = await calibrateRun({ ...task, manyEntities: entities });
  expect(whole.calibration.fitted).not.toHaveProperty('entities');
}, 60_000);
