import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyCrash } from '@fuzzqe/files/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LogEntry } from '../reporting/log-entry.ts';
import { openRunLog, readRunLog } from '../reporting/run-log.ts';
import { tinyConfig } from '../testing/tiny-run.ts';
import { loadTensors, type RunState, readRunState, saveTensors, writeRunState } from './checkpoint.ts';
import type { NamedTensors } from './safetensors.ts';

vi.mock('node:fs/promises', async (original) =>
  (await import('@fuzzqe/files/testing')).observedFiles(await original()),
);

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-checkpoint-'));
});
afterEach(() => rm(root, { recursive: true }));

const tensorsAt = (step: number): NamedTensors => ({
  entities: { shape: [2, 2], data: Float32Array.of(step, 1, 2, 3) },
});
const begun: RunState = {
  format: 'fuzzqe-run',
  version: 1,
  model: { ...tinyConfig().model, entities: 2, relations: 2 },
  config: {},
  data: { name: 'tiny', licence: 'unknown', sha256: '' },
  device: 'cpu',
  status: 'running',
};

/** A whole checkpoint, as a validation leaves one. */
async function checkpointAt(step: number): Promise<void> {
  const best = await saveTensors(root, 'best', step, tensorsAt(step), 0.5);
  const last = await saveTensors(root, 'last', step, tensorsAt(step), 0.5);
  await writeRunState(root, { ...begun, best, last });
}

/** The step of a run that can be gone on with, or why it cannot. */
async function reachedIn(folder: string): Promise<string> {
  try {
    const { last, best } = await readRunState(folder);
    const [{ entities }] = [await loadTensors(folder, last!), await loadTensors(folder, best!)];
    return `step ${entities!.data[0]}`;
  } catch (error) {
    return `${error}`.includes('no training run here') ? 'nothing' : 'damaged';
  }
}

async function foundAfter(
  work: () => Promise<unknown>,
): Promise<{ cut: Set<string>; finished: Set<string> }> {
  const found = { cut: new Set<string>(), finished: new Set<string>() };
  await everyCrash(root, work, async ({ folder, isFinished }) => {
    found[isFinished ? 'finished' : 'cut'].add(await reachedIn(folder));
  });
  return found;
}

describe('a checkpoint', () => {
  it('is the one before or the new one after a power cut, and the new one once it is written', async () => {
    expect(await foundAfter(() => checkpointAt(1))).toEqual({
      cut: new Set(['nothing', 'step 1']),
      finished: new Set(['step 1']),
    });
    expect(await foundAfter(() => checkpointAt(2))).toEqual({
      cut: new Set(['step 1', 'step 2']),
      finished: new Set(['step 2']),
    });
  });

  it('is found to be damaged where the state names tensors before they are written', async () => {
    await checkpointAt(1);
    const { cut } = await foundAfter(async () => {
      const { last, best } = await readRunState(root);
      const ahead = { ...last!, step: 2, file: 'last-0000002.safetensors' };
      await writeRunState(root, { ...begun, last: ahead, best });
      await saveTensors(root, 'last', 2, tensorsAt(2));
    });
    expect(cut).toContain('damaged');
  });

  it('is refused where the state says another step than its tensors', async () => {
    await checkpointAt(1);
    const { last } = await readRunState(root);
    await expect(loadTensors(root, { ...last!, step: 2 })).rejects.toMatchObject({
      code: 'checkpoint',
      path: join(root, last!.file),
      message: 'state.json says step 2, the tensors are of step 1',
    });
    await expect(loadTensors(root, last!)).resolves.toEqual(tensorsAt(1));
  });

  it('removes what training left half written, and nothing that others write', async () => {
    const half = ['last-0000001.safetensors.tmp-99', 'state.json.tmp-99-1', 'log.jsonl.tmp-99-2'];
    const others = ['calibration.json.tmp-99-1', 'evaluation.json', 'notes.tmp-1'];
    for (const name of [...half, 'best-0000003.safetensors', ...others])
      await writeFile(join(root, name), '');
    await checkpointAt(4);
    expect((await readdir(root)).sort()).toEqual(
      ['best-0000004.safetensors', 'last-0000004.safetensors', 'state.json', ...others].sort(),
    );
  });
});

describe('the log of a run', () => {
  const entry = (step: number): LogEntry => ({
    ...{ kind: 'validation', step, mrr: 0.5, structures: {}, seconds: 1, time: 1 },
  });
  const stepsIn = async (folder: string): Promise<number[]> =>
    (await readRunLog(folder)).map(({ step }) => step);

  it('can be read after a power cut, and has all that was flushed', async () => {
    const write = async (): Promise<void> => {
      const log = await openRunLog(root, 10);
      await log.append(entry(11));
      await log.append(entry(12));
      await log.flush();
      await log.close();
    };
    await writeFile(
      join(root, 'log.jsonl'),
      [10, 20].map((step) => `${JSON.stringify(entry(step))}\n`).join(''),
    );
    const finished = new Set<string>();
    const states = await everyCrash(root, write, async ({ folder, isFinished }) => {
      const steps = await stepsIn(folder);
      expect(steps[0]).toBe(10);
      if (isFinished) finished.add(steps.join());
    });
    expect(states).toBeGreaterThan(5);
    expect([...finished]).toEqual(['10,11,12']);
    expect(await readFile(join(root, 'log.jsonl'), 'utf8')).not.toContain('"step":20');
  });
});
