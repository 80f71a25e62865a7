import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { sampleQuerySets } from '@fuzzqe/data';
import { tinyDataset } from '@fuzzqe/data/testing';
import { loadBest, readRunState } from '@fuzzqe/train';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { exportRun } from '../export-run.ts';
import { writeUntrainedRun } from '../testing/write-untrained-run.ts';
import { calibrateRun } from './calibrate-run.ts';
import { type AnswerMode, openRun, openRunAsSets } from './candidate-model.ts';
import { compareModels } from './compare-models.ts';
import { readSavedCalibration } from './saved-calibration.ts';
import { createSavedEvaluation, readSavedEvaluations, saveEvaluation } from './saved-evaluations.ts';

/** What another process does once a state was read. */
const afterState = vi.hoisted((): { work: (() => Promise<void>) | undefined } => ({ work: undefined }));
vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof import('node:fs/promises')>();
  const readFile = async (...args: Parameters<typeof files.readFile>) => {
    const found = await files.readFile(...args);
    const { work } = afterState;
    if (String(args[0]).endsWith('state.json')) {
      afterState.work = undefined;
      await work?.();
    }
    return found;
  };
  return { ...files, readFile };
});

const dataset = tinyDataset('meanwhile', 1);
const { train } = dataset.graphs();
const { valid } = await sampleQuerySets(dataset, {
  sizes: { train: 0, valid: 2, test: 0 },
  random: createRandom('meanwhile'),
});

describe('a run that is trained on meanwhile', () => {
  let run = '';
  beforeEach(async () => {
    run = await mkdtemp(join(tmpdir(), 'fuzzqe-meanwhile-'));
    await writeUntrainedRun(run, dataset, 1);
  });
  afterEach(() => rm(run, { recursive: true, force: true }));
  const bestOf = async (): Promise<string> => (await readRunState(run)).best!.sha256;

  it('keeps no figures of former parameters as those of better ones', async () => {
    const before = await bestOf();
    let isBetter: Promise<void> | undefined;
    const { columns } = await compareModels({
      ...({ dataset, split: 'valid', queries: valid, baselines: false } as const),
      models: [
        {
          ...({ name: 'embedding', mode: 'embedding', run } as const),
          async open() {
            const opened = await openRun(run, { trained: train, threads: 1 });
            isBetter ??= writeUntrainedRun(run, dataset, 2);
            await isBetter;
            return opened;
          },
        },
        {
          ...({ name: 'sets', mode: 'sets', run } as const),
          open: () => openRunAsSets(run, { trained: train, facts: train, threads: 1 }),
        },
      ],
    });
    expect(columns.map(({ checkpoint }) => checkpoint)).toEqual([before, await bestOf()]);
    expect(before).not.toBe(await bestOf());
    const [former, better] = columns.map(({ metrics, mode, checkpoint }) => () => {
      // as: both candidates have a mode of this kind.
      const evaluated = { data: 'meanwhile', split: 'valid', mode: mode as AnswerMode } as const;
      const queries = { path: 'valid.jsonl', sha256: '0'.repeat(64), count: 1 };
      return saveEvaluation(
        run,
        createSavedEvaluation(evaluated, queries, { metrics }, [], dataset.vocabulary),
        checkpoint!,
      );
    });
    expect(await former!()).toBeUndefined();
    expect(await readSavedEvaluations(run)).toEqual({});
    expect(await better!()).toBe(join(run, 'evaluation.json'));
    expect(Object.values(await readSavedEvaluations(run)).map(({ mode }) => mode)).toEqual(['sets']);
  });

  it('keeps a calibration as that of what was calibrated, with which better parameters are not exported', async () => {
    const before = await bestOf();
    let isBetter: Promise<void> | undefined;
    const { calibration, path } = await calibrateRun({
      ...{ run, dataset, threads: 1, quick: true, seconds: 1 },
      onProgress: () => {
        isBetter ??= writeUntrainedRun(run, dataset, 2);
      },
    });
    await isBetter;
    expect(await bestOf()).not.toBe(before);
    expect(calibration.checkpoint).toBe(before);
    expect(JSON.parse(await readFile(path, 'utf8')).checkpoint).toBe(before);
    expect(await readSavedCalibration(run)).toBeUndefined();
    expect((await readSavedCalibration(run, before))?.fitted).toEqual(calibration.fitted);
    const exporting = exportRun({
      ...{ run, dataset, directory: join(run, 'bundle'), calibration, valid: [], name: 'x', metrics: {} },
      ...{ seed: 1, profiles: ['fp32'] },
    });
    await expect(exporting).rejects.toMatchObject({
      code: 'checkpoint',
      message: expect.stringContaining('better parameters by now'),
    });
  });

  it('is read again where its best parameters change before they are read, and a file that is missing is told', async () => {
    afterState.work = () => writeUntrainedRun(run, dataset, 2);
    const { checkpoint, state } = await loadBest(run);
    expect({ checkpoint, step: state.best!.step }).toEqual({ checkpoint: await bestOf(), step: 2 });
    await rm(join(run, state.best!.file));
    await expect(loadBest(run)).rejects.toThrow('the tensors that state.json names are missing');
  });
});
