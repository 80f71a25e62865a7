import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import { initialiseParameters } from '@fuzzqe/model';
import type { LawReport } from '@fuzzqe/parity';
import { loadBest, parameterTensors, readRunState, writeSafetensors } from '@fuzzqe/train';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MeanAndDeviation } from '../evaluation/format-seeds.ts';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';
import type { SeedsResult } from './train-seeds.ts';

describe('several seeds, and parameters from elsewhere', () => {
  let folder: string;
  const at = (...parts: readonly string[]): string => join(folder, ...parts);
  const train = (...flags: readonly string[]): ReturnType<typeof fuzzqe> =>
    fuzzqe('train', at('data'), '--config', at('small.json'), '--steps', '4', '--threads', '1', ...flags);
  const best = async (): Promise<string> => {
    const { best: saved } = await readRunState(at('runs', 'seed-3'));
    return at('runs', 'seed-3', saved!.file);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-seeds-'));
    const small = { model: { dimension: 8, bases: 2 }, validation: { every: 2 } };
    await writeFile(at('small.json'), JSON.stringify(small));
    const { code } = await fuzzqe('data', 'countries', '--out', at('data'));
    expect(code).toBe(0);
    await fuzzqe('data', 'sample', at('data'), '--train', '30', '--valid', '2', '--test', '2');
    const { code: trained } = await train('--out', at('runs'), '--seeds', '3,4', '--json');
    expect(trained).toBe(0);
    const { model } = await readRunState(at('runs', 'seed-3'));
    const { entities: _, relations: __, ...options } = model;
    await writeFile(at('model.json'), JSON.stringify(options));
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('gives each run, and mean and sample deviation of all; finished runs are not trained again', async () => {
    const { code, out } = await train('--out', at('runs'), '--seeds', '3,4,5', '--resume', '--json');
    expect(code).toBe(0);
    const { runs, mrr, structures, ended } = JSON.parse(out) as SeedsResult;
    expect(ended).toBe('finished');
    expect(runs.map(({ seed }) => seed)).toEqual([3, 4, 5]);
    const values = runs.map((run) => run.mrr);
    const mean = values.reduce((sum, value) => sum + value, 0) / 3;
    expect(mrr!.mean).toBeCloseTo(mean, 12);
    expect(mrr!.deviation! ** 2).toBeCloseTo(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 2, 12);
    expect(Object.keys(structures)).toHaveLength(14);
    expect((await readRunState(at('runs', 'seed-3'))).sessions).toHaveLength(1);
    expect((await readRunState(at('runs', 'seed-5'))).config).toMatchObject({ seed: 5 });
  }, 120_000);

  it('go on as they began, without a configuration; another one is refused', async () => {
    const again = ['train', at('data'), '--out', at('runs', 'seed-3'), '--resume', '--threads', '1'];
    const { code, notes } = await fuzzqe(...again);
    expect({ code, notes }).toMatchObject({ code: 0 });
    expect((await readRunState(at('runs', 'seed-3'))).config).toMatchObject({ seed: 3, steps: 4 });
    const other = await fuzzqe(...again, '--seed', '6');
    expect(other).toMatchObject({ code: 5, notes: expect.stringContaining('$.seed was 3, is 6') });
    expect(other.notes).toContain('Go on with the --config and --seed of before');
    const fewer = await fuzzqe(...again, '--steps', '3');
    expect(fewer).toMatchObject({ code: 5, notes: expect.stringContaining('expected at least 4') });
  });

  it('are evaluated together, with the mean and the deviation of their figures', async () => {
    const flags = ['--data', at('data'), '--no-baselines'];
    const json = ['--mode', 'embedding', '--json'];
    const { code, out } = await fuzzqe('evaluate', at('runs'), ...flags, ...json);
    expect(code).toBe(0);
    const { columns, mrrOfSeeds } = JSON.parse(out) as {
      columns: { name: string; metrics: { structures: Record<string, { mrr: number }> } }[];
      mrrOfSeeds: { embedding: Record<string, MeanAndDeviation> };
    };
    expect(columns.map(({ name }) => name)).toEqual(['seed 3', 'seed 4', 'seed 5']);
    const each = columns.map(({ metrics }) => metrics.structures['1p']!.mrr);
    expect(mrrOfSeeds.embedding['1p']!.mean).toBeCloseTo(each.reduce((sum, mrr) => sum + mrr, 0) / 3, 12);
    expect(mrrOfSeeds.embedding['1p']!.deviation).toBeGreaterThan(0);
    const alone = await fuzzqe('evaluate', at('runs', 'seed-4'), ...flags, ...json);
    expect((JSON.parse(alone.out) as { columns: unknown[] }).columns[0]).toMatchObject({
      metrics: columns[1]!.metrics,
    });
    // Figures are shown where they cannot be kept.
    const blocked = at('runs', 'seed-4', 'evaluation.json');
    await rm(blocked, { force: true });
    await mkdir(blocked);
    const shown = await fuzzqe('evaluate', at('runs', 'seed-4'), ...flags, ...json);
    expect(shown).toMatchObject({ code: 5, out: alone.out });
    await rm(blocked, { recursive: true });
    const { out: text } = await fuzzqe('evaluate', at('runs'), ...flags);
    expect(text).toMatch(/FuzzQE, 3 seeds[\s\S]*Seed by seed[\s\S]*seed 3 +seed 4 +seed 5 +mean +deviation/);
    expect(text).toMatch(/FuzzQE, 3 seeds, sets[\s\S]*seed 3, sets +seed 4, sets +seed 5, sets +mean/);
  }, 60_000);

  it.each(['1,1', '1,x', ''])('refuses the seeds %j', async (seeds) => {
    expect(await train('--out', at('x'), '--seeds', seeds)).toMatchObject({ code: 2 });
  });

  it('refuses --seed beside --seeds', async () => {
    const { code, notes } = await train('--out', at('x'), '--seeds', '1,2', '--seed', '3');
    expect(code).toBe(2);
    expect(notes).toMatch(/--seeds <list>' cannot be used with option '--seed/);
  });

  it('writes the report of a run', async () => {
    expect(await fuzzqe('report', at('runs', 'seed-3'), '--out', at('page.html'))).toMatchObject({ code: 0 });
    expect(await readFile(at('page.html'), 'utf8')).toMatch(/seed-3 · countries[\s\S]*onnxruntime-node/);
  });

  it('refuses a report that cannot be written before the log is read', async () => {
    await cp(at('runs', 'seed-3'), at('damaged'), { recursive: true });
    await writeFile(at('damaged', 'log.jsonl'), '{}\n');
    for (const out of [folder, at('none', 'page.html')])
      expect(await fuzzqe('report', at('damaged'), '--out', out)).toMatchObject({
        code: 9,
        notes: expect.stringContaining('--out: cannot be written'),
      });
    expect(await fuzzqe('report', at('damaged'), '--out', at('other.html'))).toMatchObject({ code: 5 });
    expect(await fuzzqe('report', at('none'))).toMatchObject({ code: 5 });
  });

  it('imports exported parameters to the same bytes, which can be evaluated and exported', async () => {
    const imported = ['import', await best(), '--config', at('model.json'), '--data', at('data')];
    expect(await fuzzqe(...imported, '--out', at('imported'))).toMatchObject({ code: 0 });
    const [theirs, ours] = [await loadBest(at('runs', 'seed-3')), await loadBest(at('imported'))];
    expect(ours.parameters).toEqual(theirs.parameters);
    const evaluated = await fuzzqe('evaluate', at('imported'), '--data', at('data'), '--no-baselines');
    expect(evaluated).toMatchObject({ code: 0 });
    const exported = await fuzzqe('export', at('imported'), '--data', at('data'), '--out', at('bundle'));
    expect(exported).toMatchObject({ code: 0 });
    const again = await fuzzqe(...imported, '--out', at('imported'));
    expect(again).toMatchObject({ code: 2 });
    expect(again.notes).toMatch(/there is a training run here already/);
  }, 120_000);

  it('refuses parameters of another shape, naming both shapes', async () => {
    const model = JSON.parse(await readFile(at('model.json'), 'utf8')) as object;
    await writeFile(at('wrong.json'), JSON.stringify({ ...model, bases: 3 }));
    const wrong = ['--config', at('wrong.json'), '--data', at('data'), '--out', at('wrong')];
    const { code, notes } = await fuzzqe('import', await best(), ...wrong);
    expect(code).toBe(5);
    expect(notes).toMatch(/"coefficients": expected \[24,3\], got \[24,2\]/);
    await expect(readRunState(at('wrong'))).rejects.toThrow(/no training run/);
  });

  it('imports blocks, which are evaluated, reported and exported, but not as int8-basis', async () => {
    const { model: bases } = await readRunState(at('runs', 'seed-3'));
    const blocks = { relationForm: 'blocks', entityNormalisation: 'l1', score: 'innerProduct' } as const;
    const logistic = { mapping: 'logistic', entityMapping: 'logistic' } as const;
    const model = { ...bases, ...blocks, ...logistic };
    const { entities: _, relations: __, ...options } = model;
    await writeFile(at('blocks.json'), JSON.stringify(options));
    const parameters = initialiseParameters(model, createRandom('blocks'));
    const tensors = parameterTensors(model, parameters);
    await writeSafetensors(at('blocks.safetensors'), { tensors, metadata: {} });
    const from = [at('blocks.safetensors'), '--config', at('blocks.json'), '--data', at('data')];
    expect(await fuzzqe('import', ...from, '--out', at('blocks'))).toMatchObject({ code: 0 });
    expect((await loadBest(at('blocks'))).parameters).toEqual(parameters);

    const exported = (...flags: readonly string[]) =>
      fuzzqe('export', at('blocks'), '--data', at('data'), '--out', at('of-blocks'), ...flags);
    const refused = await exported('--profile', 'fp32,int8-basis');
    expect(refused.code).toBe(2);
    expect(refused.notes).toMatch(/int8-basis: its relations are blocks and have no bases; int8 is as small/);
    // Nothing was fitted before.
    expect(refused.notes).not.toMatch(/calibrat/i);
    const { code, notes } = await exported('--target', 'workers');
    expect(code).toBe(0);
    for (const line of [
      /^ {2}modes: sets/m,
      /^ {2}start-up, about: .* nothing of the bundle is opened then$/m,
    ])
      expect(notes).toMatch(line);
    const manifest = await readFile(at('of-blocks', 'manifest.json'), 'utf8');
    const { profiles, model: of } = JSON.parse(manifest) as Pick<Manifest, 'profiles' | 'model'>;
    expect([Object.keys(profiles), of.relationForm]).toEqual([['int8'], 'blocks']);
    expect((await fuzzqe('report', at('blocks'), '--out', at('blocks.html'))).code).toBe(0);
    expect(await readFile(at('blocks.html'), 'utf8')).toContain('d = 8, blocks');
  }, 120_000);

  it('imports a state dict of KGReasoning, which is evaluated, exported and tried by laws', async () => {
    const { model } = await readRunState(at('runs', 'seed-3'));
    const [m, random] = [4, createRandom('state dict')];
    const drawn = (...shape: readonly number[]) => ({
      shape,
      data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => random.normal()),
    });
    const layers = ['center_net.layer1', 'center_net.layer2', 'offset_net.layer1', 'offset_net.layer2'];
    const tensors = {
      ...{ gamma: drawn(1), embedding_range: drawn(1), entity_embedding: drawn(model.entities, m) },
      ...{ relation_embedding: drawn(model.relations, m), offset_embedding: drawn(model.relations, m) },
      ...Object.fromEntries(
        layers.flatMap((layer) => [
          [`${layer}.weight`, drawn(m, m)],
          [`${layer}.bias`, drawn(m)],
        ]),
      ),
    };
    const box = at('box.safetensors');
    await writeSafetensors(box, { tensors, metadata: {} });
    const config = { geo: 'box', hidden_dim: m, gamma: 24, box_mode: '(none,0.02)', cuda: true };
    await writeFile(at('config.json'), JSON.stringify(config));
    const from = [box, '--config', at('config.json'), '--data', at('data')];
    const imported = await fuzzqe('import', ...from, '--out', at('box'));
    expect(imported).toMatchObject({
      code: 0,
      notes: expect.stringContaining('not imported from a BetaE folder'),
    });
    expect(imported.notes).not.toContain('left out');
    const state = await readRunState(at('box'));
    expect(state.model).toMatchObject({ relationForm: 'query2box', dimension: 12 * m });
    expect(state.config).toMatchObject({ imported: { file: 'box.safetensors', geo: 'box', hidden_dim: m } });

    const ofData = [at('box'), '--data', at('data')];
    expect(await fuzzqe('evaluate', ...ofData, '--no-baselines')).toMatchObject({ code: 0 });
    expect(await fuzzqe('export', ...ofData, '--out', at('of-box'))).toMatchObject({ code: 0 });
    const { code, out } = await fuzzqe(
      'evaluate',
      at('of-box'),
      ...ofData.slice(1),
      '--no-baselines',
      '--json',
    );
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(out).columns[0].metrics.structures)).not.toContain('2in');
    const laws = await fuzzqe('laws', at('of-box'), '--choices', '2', '--json');
    expect(laws.code).toBe(0);
    const { laws: found } = JSON.parse(laws.out) as LawReport;
    expect(found.filter(({ sets }) => sets?.choices === 2)).not.toEqual([]);

    // The numbers are those of this geo only, and a file that was cut off is refused whole.
    await writeFile(at('vec.json'), JSON.stringify({ ...config, geo: 'vec' }));
    const vec = ['--config', at('vec.json'), '--data', at('data'), '--out', at('vec')];
    expect(await fuzzqe('import', box, ...vec)).toMatchObject({ code: 5 });
    await writeFile(at('cut.safetensors'), (await readFile(box)).subarray(0, -4));
    const cut = await fuzzqe('import', at('cut.safetensors'), ...from.slice(1), '--out', at('vec'));
    expect(cut).toMatchObject({ code: 5, notes: expect.stringContaining('cut.safetensors') });
    await expect(readRunState(at('vec'))).rejects.toThrow(/no training run/);
  }, 120_000);

  it('refuses a file that is no safetensors file', async () => {
    const flags = ['--config', at('model.json'), '--data', at('data'), '--out', at('wrong')];
    expect(await fuzzqe('import', at('model.json'), ...flags)).toMatchObject({ code: 5 });
  });
});
