import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { initialiseParameters, type ModelConfig } from '@fuzzqe/model';
import { loadBest, parameterTensors, readRunState, writeSafetensors } from '@fuzzqe/train';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';

describe('fuzzqe ensemble', () => {
  let folder: string;
  const at = (...parts: readonly string[]): string => join(folder, ...parts);
  const data = (): string[] => ['--data', at('data')];
  const small = { model: { dimension: 8 }, steps: 30, validation: { every: 30, patience: 30 } };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-ensemble-'));
    await fuzzqe('data', 'countries', '--out', at('data'));
    await fuzzqe('data', 'sample', at('data'), '--train', '0', '--valid', '4', '--test', '4');
    await writeFile(at('small.json'), JSON.stringify({ extends: 'countries-links', ...small }));
    const flags = ['--config', at('small.json'), '--threads', '1', '--seeds', '1,2'];
    expect(await fuzzqe('train', at('data'), '--out', at('seeds'), ...flags)).toMatchObject({ code: 0 });
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** A run of parameters from elsewhere, for the same graph. */
  async function imported(
    name: string,
    options: Partial<ModelConfig>,
    change: (value: number) => number,
  ): Promise<string> {
    const { model: seed } = await readRunState(at('seeds', 'seed-1'));
    const model = { ...seed, ...options };
    const { entities: _, relations: __, ...chosen } = model;
    await writeFile(at(`${name}.json`), JSON.stringify(chosen));
    const { entities, coefficients } = initialiseParameters(model, createRandom(name));
    const parameters = { entities: entities.map(change), coefficients: coefficients.map(change) };
    const tensors = parameterTensors(model, parameters);
    await writeSafetensors(at(`${name}.safetensors`), { tensors, metadata: {} });
    const from = [at(`${name}.safetensors`), '--config', at(`${name}.json`), '--out', at(name)];
    expect(await fuzzqe('import', ...from, ...data())).toMatchObject({ code: 0 });
    return at(name);
  }

  it('joins the seeds of a folder to a run that is calibrated, evaluated and exported like any other', async () => {
    const joined = await fuzzqe('ensemble', at('seeds'), ...data(), '--out', at('joined'));
    expect(joined).toMatchObject({ code: 0, notes: expect.stringMatching(/Next: .*fuzzqe calibrate/) });
    expect(joined.out).toMatch(/run +dimension +weight[\s\S]*seed-1 +8 +0\.\d{3}\n *seed-2 +8 +0\.\d{3}/);
    const { state } = await loadBest(at('joined'));
    expect(state.model.dimension).toBe(16);
    const { ensemble } = state.config as { ensemble: { run: string; checkpoint: string; weight: number }[] };
    expect(ensemble.map(({ run }) => run)).toEqual(['seed-1', 'seed-2']);
    expect(ensemble.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12);
    expect(ensemble[0]!.checkpoint).toBe((await readRunState(at('seeds', 'seed-1'))).best!.sha256);
    for (const command of [
      ['calibrate', at('joined'), ...data(), '--quick'],
      ['evaluate', at('joined'), ...data(), '--no-baselines'],
      ['report', at('joined'), '--out', at('joined.html')],
      ['export', at('joined'), ...data(), '--out', at('bundle')],
      ['parity', at('bundle'), '--runtimes', 'node,javascript'],
    ])
      expect(await fuzzqe(...command)).toMatchObject({ code: 0 });
  }, 120_000);

  it('gives the same bytes again, whatever the number of threads', async () => {
    const joined = async (name: string, threads: string): Promise<string | undefined> => {
      const flags = [...data(), '--out', at(name), '--threads', threads, '--json'];
      const { code, out } = await fuzzqe('ensemble', at('seeds', 'seed-1'), at('seeds', 'seed-2'), ...flags);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ members: [{ run: 'seed-1' }, { run: 'seed-2' }] });
      return (await readRunState(at(name))).best?.sha256;
    };
    expect(await joined('once', '1')).toBe(await joined('again', '2'));
  });

  it.each([
    ['one run', ['seed-1'], 2, /expected two runs or more, got 1[\s\S]*--seeds 1,2,3/],
    ['a run twice', ['seed-1', 'seed-1'], 2, /has the same parameters as/],
    ['a run that is none', ['seed-1', 'seed-9'], 5, /seed-9[\s\S]*no training run here/],
  ])('refuses %s, and leaves nothing behind', async (_, runs, code, message) => {
    const paths = runs.map((run) => at('seeds', run));
    const refused = await fuzzqe('ensemble', ...paths, ...data(), '--out', at('refused'));
    expect(refused).toMatchObject({ code, notes: expect.stringMatching(message) });
    expect(await readdir(at('refused')).catch(() => [])).toEqual([]);
  });

  it('says that a folder of several seeds has runs, and which one to name', async () => {
    for (const command of ['calibrate', 'export'])
      expect(
        await fuzzqe(command, at('seeds'), ...data(), ...(command === 'export' ? ['--out', at('none')] : [])),
      ).toMatchObject({
        code: 5,
        notes: expect.stringContaining(`It has runs: name one, as ${at('seeds', 'seed-1')}`),
      });
  });

  it('refuses a folder with a run, and models that do not add up', async () => {
    const paths = [at('seeds', 'seed-1'), at('seeds', 'seed-2')];
    const occupied = await fuzzqe('ensemble', ...paths, ...data(), '--out', paths[0]!);
    expect(occupied).toMatchObject({
      code: 2,
      notes: expect.stringContaining('there is a training run here already'),
    });

    const godel = await imported('godel', { logic: 'godel' }, (value) => value);
    const other = await fuzzqe('ensemble', paths[0]!, godel, ...data(), '--out', at('refused'));
    expect(other.code).toBe(2);
    expect(other.notes).toMatch(/godel[\s\S]*model\.logic: expected product as of .*seed-1, got godel/);
    const nothing = await imported('nothing', {}, () => 0);
    const idle = await fuzzqe('ensemble', paths[0]!, nothing, ...data(), '--out', at('refused'));
    expect(idle.code).toBe(5);
    expect(idle.notes).toMatch(/nothing[\s\S]*scores all entities alike/);
  });

  it('is not gone on with, nor is an imported run', async () => {
    const again = (run: string) => fuzzqe('train', at('data'), '--out', at(run), '--resume');
    expect(await again('joined')).toMatchObject({
      code: 5,
      notes: expect.stringContaining('the run was joined from others and not trained'),
    });
    expect(await again('nothing')).toMatchObject({
      code: 5,
      notes: expect.stringContaining('the run was imported from elsewhere and not trained'),
    });
  });

  it('refuses runs of another graph', async () => {
    await fuzzqe('data', 'countries', '--out', at('other'), '--seed', '9');
    const refused = await fuzzqe('ensemble', at('seeds'), '--data', at('other'), '--out', at('refused'));
    expect(refused).toMatchObject({ code: 5, notes: expect.stringContaining('trained on another graph') });
  });
});
