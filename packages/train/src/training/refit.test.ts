import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { graphDigest } from '@fuzzqe/bundle';
import { tinyDataset } from '@fuzzqe/data/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readRunState } from '../checkpoint/checkpoint.ts';
import { ortCpuRuntime } from '../runtimes/ort-runtime.ts';
import { tinyConfig } from '../testing/tiny-run.ts';
import { loadRefit, refitFolder, refitRun } from './refit.ts';
import { type RunOptions, runTraining } from './run.ts';

const dataset = tinyDataset('tiny', 1);
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fuzzqe-refit-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const options = (): Omit<RunOptions, 'config' | 'resume'> => ({
  directory,
  dataset,
  queries: { train: [] },
  runtime: ortCpuRuntime({ threads: 1 }),
});
const trained = (steps: number) =>
  runTraining({ ...options(), config: tinyConfig({ batch: { '1p': 6 }, steps }), resume: true }).catch(() =>
    runTraining({ ...options(), config: tinyConfig({ batch: { '1p': 6 }, steps }), resume: false }),
  );
const bytesOf = async (): Promise<Buffer> => {
  const { best } = await readRunState(refitFolder(directory));
  return readFile(join(refitFolder(directory), best!.file));
};

it('trains on the facts of all parts for as many steps as the run, and leaves the run as it is', async () => {
  const { state } = await trained(20);
  const { state: refit, step } = await refitRun(options());
  expect(step).toBe(20);
  expect(refit.data.sha256).toBe(await graphDigest(dataset.graphs().full));
  expect(refit.data.sha256).not.toBe(state.data.sha256);
  expect(await readRunState(directory)).toEqual(state);
  const kept = await loadRefit(directory, state.best!.sha256);
  expect(kept!.checkpoint).toBe(refit.best!.sha256);
  expect(await loadRefit(directory, refit.best!.sha256)).toBeUndefined();
});

it('gives the same bytes again, and where it was stopped and gone on with', async () => {
  await trained(20);
  await refitRun(options());
  const whole = await bytesOf();
  await rm(refitFolder(directory), { recursive: true });
  const stop = new AbortController();
  const onStep = ({ step }: { readonly step: number }): void => void (step === 7 && stop.abort());
  expect(await refitRun({ ...options(), onStep, signal: stop.signal })).toMatchObject({
    ended: 'interrupted',
  });
  const { sha256 } = (await readRunState(directory)).best!;
  expect(await loadRefit(directory, sha256)).toBeUndefined();
  await refitRun(options());
  expect(await bytesOf()).toEqual(whole);
});

it('begins anew where the run has other parameters by now, and waits for one that has not ended', async () => {
  await trained(20);
  await refitRun(options());
  const { state } = await trained(30);
  expect(await loadRefit(directory, state.best!.sha256)).toBeUndefined();
  expect((await refitRun(options())).step).toBe(30);
  const stop = new AbortController();
  const onStep = (): void => stop.abort();
  await runTraining({
    ...{ ...options(), config: tinyConfig({ batch: { '1p': 6 }, steps: 40 }), resume: true, onStep },
    signal: stop.signal,
  });
  await expect(refitRun(options())).rejects.toMatchObject({
    code: 'checkpoint',
    message: expect.stringContaining('has not ended'),
  });
});
